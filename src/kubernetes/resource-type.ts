/** A kind as an API server serves it. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** In paths: the plural, in lower case. */
  readonly resource: string;
  readonly isNamespaced: boolean;
}

/** An object as a list or an event has it. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Adds parameters to the query of a path. */
export function withQuery(path: string, query: URLSearchParams): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/**
 * The path of a kind's objects: all, or those of a namespace; with a name, that of one of them. Throws for a text that would
 * make it another path.
 */
export function pathOf(
  type: Pick<ResourceType, 'group' | 'version' | 'resource'>,
  namespace?: string,
  name?: string,
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const place = namespace === undefined ? '' : `/namespaces/${segmentOf(namespace)}`;
  return `${root}${place}/${type.resource}${name === undefined ? '' : `/${segmentOf(name)}`}`;
}

/** Dots need no escape, and a server may take `..` for the way to the folder above. */
function segmentOf(text: string): string {
  if (['', '.', '..'].includes(text)) throw new Error(`"${text}" is no name of an object of Kubernetes`);
  return encodeURIComponent(text);
}
