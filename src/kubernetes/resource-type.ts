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

/** The path of a kind's objects: all, or those of a namespace; with a name, that of one of them. */
export function pathOf(
  type: Pick<ResourceType, 'group' | 'version' | 'resource'>,
  namespace?: string,
  name?: string,
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${type.resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
