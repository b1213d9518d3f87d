/** Namespace of whoever asks, if a certificate proves one; undefined: nobody knows who it is. */
export type Viewer = string | undefined;

/** A name of the mesh, as one service gives it. */
export interface ZoneName {
  /** Small letters, no dot at the end; the first label may be `*`, for all names below the others. */
  readonly name: string;
  readonly namespace: string;
  /** Namespaces that may ask for it; `all`: everybody may, with or without an identity. */
  readonly viewers: readonly string[] | 'all';
  /** IPv4 and IPv6, as text. */
  readonly addresses: readonly string[];
  /** The name that it is another name for (CNAME); absent: it has addresses of its own, or none. */
  readonly target?: string;
  /** Nobody but a proxy knows what its addresses lead to: whoever has no identity is not given them. */
  readonly isForProxies?: boolean;
  /** Of several services with one name, those of the cluster come first. */
  readonly isOfCluster: boolean;
  /** Then the oldest one. */
  readonly createdAt: number;
}

/** The one of several that a viewer means: its own namespace's, else the cluster's, else the oldest, as proxies choose. */
export function nameFor(viewer: Viewer, names: readonly ZoneName[]): ZoneName | undefined {
  let found: ZoneName | undefined;
  for (const name of names) {
    if (isSeenBy(viewer, name) && (found === undefined || comesBefore(viewer, name, found))) found = name;
  }
  return found;
}

function isSeenBy(viewer: Viewer, { viewers }: ZoneName): boolean {
  return viewers === 'all' || (viewer !== undefined && viewers.includes(viewer));
}

function comesBefore(viewer: Viewer, a: ZoneName, b: ZoneName): boolean {
  if ((a.namespace === viewer) !== (b.namespace === viewer)) return a.namespace === viewer;
  if (a.isOfCluster !== b.isOfCluster) return a.isOfCluster;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  return a.namespace < b.namespace;
}
