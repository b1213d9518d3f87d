import { withoutOuterBlanks } from '../../lib/header-text.ts';

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

/**
 * The protocol, in lower case, that a request over HTTP/1.1 wants to change to by its lines of `connection` and `upgrade`;
 * undefined where it wants none, or HTTP/2, which Envoy passes over.
 */
export function wantedProtocol(connection: readonly string[], upgrade: readonly string[]): string | undefined {
  if (upgrade.length === 0 || !readConnectionHeader(connection).upgrades) return undefined;
  const wanted = protocolIn(upgrade);
  return wanted === 'h2c' ? undefined : wanted;
}

/** All lines of `upgrade` together, in lower case, as Envoy reads them. */
export function protocolIn(upgrade: readonly string[]): string {
  const told = upgrade.map(withoutOuterBlanks).filter((line) => line !== '');
  return told.join(',').toLowerCase();
}

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
