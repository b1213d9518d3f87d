/** A datacenter of Consul, and how it is reached. All of it can be sent to a thread. */
export interface ConsulAddress {
  /** Name of this registry beside others: lower-case letters, digits and `-`. */
  readonly id: string;
  /** Origin of the HTTP API of a server or agent. */
  readonly origin: string;
  /** Absent: that of the server that answers. */
  readonly datacenter?: string | undefined;
  /** Any server may answer, also one that is behind the leader, or knows none. */
  readonly allowsStale: boolean;
  readonly files: ConsulFiles;
}

/** Files of credentials, which are read again when they change. */
export interface ConsulFiles {
  /** An ACL token. */
  readonly token?: string | undefined;
  /** PEM roots that verify the server; absent: those of Node. */
  readonly roots?: string | undefined;
  /** PEM certificate of the client, and its key. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

export type ConsulAddressText = Pick<ConsulAddress, 'id' | 'origin' | 'datacenter' | 'allowsStale'>;

const expected = '[NAME=]http(s)://HOST:PORT[?dc=DATACENTER][&stale] is expected';

/**
 * Reads `[NAME=]URL`. Without a name the registry has that of its datacenter, else `consul`. What is wrong is told in words
 * (`expected`).
 */
export function parseConsulAddress(text: string): ConsulAddressText | { readonly expected: string } {
  const [, given, address = ''] = /^(?:([a-z0-9][a-z0-9-]{0,62})=)?(.+)$/.exec(text) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || !/^\/?$/.test(url.pathname))
    return { expected };
  if (url.username !== '' || url.password !== '' || url.hash !== '') return { expected };
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'dc' && name !== 'stale');
  if (unknown !== undefined) return { expected: `${expected}; "${unknown}" is unknown` };
  const datacenter = url.searchParams.get('dc') ?? undefined;
  if (datacenter !== undefined && !/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$/.test(datacenter))
    return { expected: `${expected}; "${datacenter}" is no name of a datacenter` };
  const id = given ?? datacenter?.toLowerCase().replaceAll('_', '-') ?? 'consul';
  return { id, origin: url.origin, datacenter, allowsStale: url.searchParams.has('stale') };
}
