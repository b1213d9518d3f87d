/** Among more names than this, one that looks alike is no hint. */
const fewNames = 50;

/**
 * The only name that has the words of an unknown one and more of them before or behind, or lacks some of its words there:
 * `shop-reviews` for `reviews`, and the other way.
 */
export function fullerName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length > fewNames) return undefined;
  const [only, ...others] = candidates.filter((other) => isEndOf(name, other) || isEndOf(other, name));
  return others.length === 0 ? only : undefined;
}

function isEndOf(short: string, long: string): boolean {
  return short.length > 2 && (long.startsWith(`${short}-`) || long.endsWith(`-${short}`));
}
