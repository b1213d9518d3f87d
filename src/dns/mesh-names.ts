/** Names that only the mesh may answer for, by the suffix that they end with: `cluster.local`, `global`. */
export class MeshNames {
  readonly #suffixes: readonly (readonly string[])[];

  constructor(suffixes: readonly string[]) {
    this.#suffixes = suffixes.map(labelsOf).filter((labels) => labels.length > 0);
  }

  /** Whether the name is below a suffix, or is one; labels in small letters. */
  has(labels: readonly string[]): boolean {
    return this.#suffixes.some((suffix) => {
      const from = labels.length - suffix.length;
      return from >= 0 && suffix.every((label, n) => label === labels[from + n]);
    });
  }
}

/**
 * The suffixes of a mesh: `global`, the cluster's domain, and the one that the proxy's own DNS domain (`--domain`,
 * `foo.svc.corp.example`) ends with after namespace and `svc`.
 */
export function meshSuffixes(clusterDomain: string, proxyDomain: string | undefined): readonly string[] {
  const own = labelsOf(proxyDomain ?? '').slice(2);
  return [...new Set(['global', clusterDomain, own.join('.')])].filter((suffix) => suffix !== '').sort();
}

function labelsOf(name: string): readonly string[] {
  return name
    .toLowerCase()
    .split('.')
    .filter((label) => label !== '');
}
