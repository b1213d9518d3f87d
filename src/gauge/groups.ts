/** Values by their key, in their order. */
export function groups<T>(all: Iterable<T>, keyOf: (one: T) => string): Map<string, T[]> {
  const map = new Map<string, T[]>();
  for (const one of all) {
    const known = map.get(keyOf(one));
    if (known === undefined) map.set(keyOf(one), [one]);
    else known.push(one);
  }
  return map;
}
