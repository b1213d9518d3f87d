/** Those of a list, in its order, that are not in the other one; by identity. */
export function without<T>(list: readonly T[], others: readonly T[]): readonly T[] {
  const there = new Set(others);
  return list.filter((item) => !there.has(item));
}
