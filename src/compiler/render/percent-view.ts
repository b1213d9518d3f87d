/** Envoy's `FractionalPercent` for a share in percent, to the fourth decimal. */
export interface FractionalPercentView {
  readonly numerator: number;
  readonly denominator: 'MILLION';
}

export function millionths(percent: number): FractionalPercentView {
  return { numerator: Math.round(percent * 10_000), denominator: 'MILLION' };
}
