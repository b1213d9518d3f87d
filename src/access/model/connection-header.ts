/** What a `connection` header of HTTP/1 asks of a proxy. */
export interface ConnectionHeader {
  /** Headers, in lower case, that go no further. */
  readonly removed: readonly string[];
  /** Whether Envoy answers 400 because of it. */
  readonly isRefused: boolean;
  /** Whether it asks for another protocol. */
  readonly upgrades: boolean;
}

/** So many names and more are refused. */
const mostNames = 10;

const keepsHeader: ReadonlySet<string> = new Set(['close', 'http2-settings', 'keep-alive', 'upgrade', 'connection']);

/** They say who the client is. */
const neverRemoved: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/** Reads all lines of it together, as Envoy does. */
export function readConnectionHeader(lines: readonly string[]): ConnectionHeader {
  const names = lines
    .join(',')
    .split(',')
    .filter((name) => name !== '')
    .map((name) => name.trim().toLowerCase());
  return {
    removed: names.filter((name) => name !== '' && !keepsHeader.has(name)),
    isRefused: names.length >= mostNames || names.some((name) => neverRemoved.has(name) || name.startsWith(':')),
    upgrades: names.includes('upgrade'),
  };
}
