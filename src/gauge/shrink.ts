/** Whether something still holds of a smaller one. */
export type StillHolds<T> = (smaller: T) => Promise<boolean>;

/**
 * A part of a list of which it still holds, and from which no single member can be left out: large pieces are left out first
 * (delta debugging).
 */
export async function smallestPart<T>(all: readonly T[], holds: StillHolds<readonly T[]>): Promise<readonly T[]> {
  let part = all;
  for (let size = Math.ceil(all.length / 2); size >= 1; ) {
    const before = part.length;
    for (let from = 0; from < part.length; ) {
      const without = [...part.slice(0, from), ...part.slice(from + size)];
      if (await holds(without)) part = without;
      else from += size;
    }
    // What could not be left out before may be now.
    if (size > 1) size = Math.ceil(size / 2);
    else if (part.length === before) break;
  }
  return part;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value from which no single field or element can be left out, below the paths that `keeps` names: outer ones go first. */
export async function smallestValue<T extends Json>(
  value: T,
  holds: StillHolds<T>,
  keeps: (path: readonly (string | number)[]) => boolean = () => false,
): Promise<T> {
  let current = value;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    // Backwards, so that the places of what comes before stay the same.
    for (const path of placesIn(current)
      .reverse()
      .sort((a, b) => a.length - b.length)) {
      if (keeps(path) || !isThere(current, path)) continue;
      const without = withoutPlace(current, path) as T;
      if (!(await holds(without))) continue;
      current = without;
      isSmaller = true;
    }
  }
  return current;
}

function placesIn(value: Json): (readonly (string | number)[])[] {
  return membersOf(value).flatMap(([key, member]) => [[key], ...placesIn(member).map((rest) => [key, ...rest])]);
}

function membersOf(value: Json): (readonly [key: string | number, member: Json])[] {
  if (Array.isArray(value)) return [...value.entries()];
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function isThere(value: Json, [first, ...rest]: readonly (string | number)[]): boolean {
  const member = membersOf(value).find(([key]) => key === first);
  return member !== undefined && (rest.length === 0 || isThere(member[1], rest));
}

function withoutPlace(value: Json, [first, ...rest]: readonly (string | number)[]): Json {
  const members = membersOf(value).flatMap(([key, member]): (readonly [string | number, Json])[] => {
    if (key !== first) return [[key, member]];
    return rest.length === 0 ? [] : [[key, withoutPlace(member, rest)]];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}
