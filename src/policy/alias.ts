/** Names of Istio that mean the same as ours. Output always uses ours. */
export const aliases = {
  groups: {
    'security.istio.io': 'security.mesh.io',
    'networking.istio.io': 'networking.mesh.io',
  },
  /** Keys of labels and annotations without a domain; keys with one follow `domain`. */
  labels: {
    istio: 'mesh',
    'istio-injection': 'mesh-injection',
    'istio-locality': 'mesh-locality',
  },
  /** `istio.io/rev`, `sidecar.istio.io/inject`, `security.istio.io/tlsMode` and so on: the domain changes, the rest stays. */
  domain: { from: 'istio.io', to: 'mesh.io' },
  /** Values of labels, by our key. */
  labelValues: {
    'security.mesh.io/tlsMode': { istio: 'mesh' },
  },
  tlsModes: { ISTIO_MUTUAL: 'MESH_MUTUAL' },
  containers: { 'istio-proxy': 'mesh-proxy', 'istio-init': 'mesh-init' },
} as const;

/** Our name for an API group; the group itself when it has no alias. */
export function groupAlias(group: string): string {
  return lookUp(aliases.groups, group) ?? group;
}

/** Our name for the key of a label or an annotation. */
export function labelKeyAlias(key: string): string {
  const slash = key.indexOf('/');
  if (slash === -1) return lookUp(aliases.labels, key) ?? key;
  const { from, to } = aliases.domain;
  const domain = key.slice(0, slash);
  if (domain !== from && !domain.endsWith(`.${from}`)) return key;
  return domain.slice(0, domain.length - from.length) + to + key.slice(slash);
}

/**
 * Labels or annotations by our names for their keys. Of one that is there by both names ours decides, whatever their order
 * is: an API server sorts them, and a file does not.
 */
export function byOurKeys(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).map(([written, text]) => {
      const key = labelKeyAlias(written);
      return [key, Object.hasOwn(texts, key) ? (texts[key] ?? text) : text];
    }),
  );
}

/** Our value of a label whose key is already ours. */
export function labelValueAlias(key: string, value: string): string {
  const values = lookUp<Readonly<Record<string, string>>>(aliases.labelValues, key);
  return (values && lookUp(values, value)) ?? value;
}

/** Our name for a TLS mode. */
export function tlsModeAlias(mode: string): string {
  return lookUp(aliases.tlsModes, mode) ?? mode;
}

/** Our name for a container. */
export function containerAlias(name: string): string {
  return lookUp(aliases.containers, name) ?? name;
}

function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
