const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

/**
 * Milliseconds of a duration such as `1h30m`, `1.5s` or `0` (Go's syntax, as the policies use it); undefined when it is
 * none.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  const [, sign, parts] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let total = 0;
  for (const [, number, unit] of parts.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g)) {
    total += Number(number) * (unitMs[unit ?? ''] ?? Number.NaN);
  }
  // A sum of decimals is exact to the nanosecond only after rounding.
  const exact = Math.round(total * 1e6) / 1e6;
  return sign === '-' ? -exact : exact;
}

/** Protobuf's JSON form of a duration, as Envoy reads it: `0s`, `1.500s`. */
export function formatDuration(milliseconds: number): string {
  const nanoseconds = Math.round(milliseconds * 1e6);
  const seconds = Math.trunc(nanoseconds / 1e9);
  const rest = nanoseconds - seconds * 1e9;
  if (rest === 0) return `${seconds}s`;
  const digits = String(Math.abs(rest)).padStart(9, '0');
  const fraction = digits.endsWith('000000')
    ? digits.slice(0, 3)
    : digits.endsWith('000')
      ? digits.slice(0, 6)
      : digits;
  const sign = nanoseconds < 0 ? '-' : '';
  return `${sign}${Math.abs(seconds)}.${fraction}s`;
}
