import type { MeshHost } from '../../generated-mesh.ts';

/** A host as an object of a namespace writes it: without a dot it is a service of that namespace. */
export function fullName(host: string, namespace: string): string {
  return host.includes('.') || host === '*' ? host : `${host}.${namespace}.svc.cluster.local`;
}

/** Whether a name, or each name that a wildcard stands for, is one of those that another stands for. */
export function isWithin(name: string, wide: string): boolean {
  if (!wide.startsWith('*')) return name === wide;
  if (!name.startsWith('*')) return name.endsWith(wide.slice(1));
  return name.length >= wide.length && name.slice(1).endsWith(wide.slice(1));
}

/** The narrower of two names that have something in common. */
export function common(a: string, b: string): string | undefined {
  return isWithin(a, b) ? a : isWithin(b, a) ? b : undefined;
}

/** The first of the names that say most about a host: itself, then the longest wildcard. */
export function narrowest(names: readonly string[], host: string): string | undefined {
  const fitting = names.filter((name) => isWithin(host, name));
  const rank = (name: string): number => (name === host ? 1_000 : name.length);
  return fitting.sort((a, b) => rank(b) - rank(a))[0];
}

/** Names by which clients of a namespace call a service. */
export function namesOf({ host, kind }: MeshHost, namespace: string): readonly string[] {
  if (kind.startsWith('external')) return [host];
  const [name = '', own = ''] = host.split('.');
  return [host, `${name}.${own}`, `${name}.${own}.svc`, ...(own === namespace ? [name] : [])];
}
