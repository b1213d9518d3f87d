/**
 * Finds, among `hosts`, the first other than `self` that stands for every name of `host`; compared without case.
 * A look-up costs the length of the host, not the number of hosts.
 */
export function hostCover(hosts: readonly string[]): (host: string, self?: number) => number | undefined {
  const indexes = new Map<string, number[]>();
  for (const [i, host] of hosts.entries()) {
    const key = host.toLowerCase();
    const same = indexes.get(key);
    if (same === undefined) indexes.set(key, [i]);
    else if (same.length < 2) same.push(i);
  }
  return (host, self) => {
    const name = host.toLowerCase();
    const isWildcard = name.startsWith('*');
    const candidates = [name];
    for (let i = isWildcard ? 1 : 0; i <= name.length; i++) candidates.push(`*${name.slice(i)}`);
    for (const candidate of candidates) {
      const found = indexes.get(candidate)?.find((index) => index !== self);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
