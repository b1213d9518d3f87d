import { compareStrings } from '../../lib/sort.ts';

/** True for `*` and for names such as `*.example.com`. */
export function isWildcard(host: string): boolean {
  return host.startsWith('*');
}

/** True when every name that `host` stands for is covered by `other`: `*.a.com` is under `*.com`, not under `a.com`. */
export function subsetOf(host: string, other: string): boolean {
  if (!isWildcard(other)) return host === other;
  if (!isWildcard(host)) return host.endsWith(other.slice(1));
  return host.length >= other.length && host.endsWith(other.slice(1));
}

/** True when one of the two covers the other. */
export function matches(a: string, b: string): boolean {
  return subsetOf(a, b) || subsetOf(b, a);
}

/** Sort order: plain names before wildcards, longer before shorter, then by the alphabet. */
export function compareSpecificity(a: string, b: string): number {
  return Number(isWildcard(a)) - Number(isWildcard(b)) || b.length - a.length || compareStrings(a, b);
}

/** The first of `sorted` (by `compareSpecificity`) that covers `host`; an exact name beats every wildcard. */
export function mostSpecific(host: string, sorted: readonly string[]): string | undefined {
  return sorted.includes(host) ? host : sorted.find((candidate) => subsetOf(host, candidate));
}

/** Fully qualified lower-case form: a name without a dot is a service beside the object that mentions it. Addresses stay. */
export function resolveShortName(host: string, namespace: string, clusterDomain: string): string {
  const name = host.toLowerCase();
  return /[.:]/.test(name) || name === '*' ? name : `${name}.${namespace}.svc.${clusterDomain}`;
}

/** For each pair of which one covers the other, the narrower one; without duplicates, in the order of `a`. */
export function intersect(a: readonly string[], b: readonly string[]): string[] {
  const result = new Set<string>();
  for (const x of a) {
    for (const y of b) {
      if (subsetOf(x, y)) result.add(x);
      else if (subsetOf(y, x)) result.add(y);
    }
  }
  return [...result];
}
