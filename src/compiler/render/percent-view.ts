/** Envoy's `FractionalPercent` for a share in percent, to the fourth decimal. */
export interface FractionalPercentView {
  readonly numerator: number;
  readonly denominator: 'MILLION';
}

export function millionths(percent: number): FractionalPercentView {
  const numerator = Math.round(percent * 10_000);
  // What is asked for at all happens at times: 0 would switch it off.
  return { numerator: percent > 0 ? Math.max(numerator, 1) : numerator, denominator: 'MILLION' };
}
