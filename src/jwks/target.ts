import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { abortable } from './abortable.ts';
import { type AddressKind, addressKind } from './address.ts';
import { KeySetError, quoted, quotedUrl } from './fault.ts';

/** The addresses of a host name, all of them; rejects when there is none. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** A URL together with the only addresses that a connection for it may go to. */
export interface CheckedTarget {
  readonly url: URL;
  /** In the order of the DNS answer, at least one. */
  readonly addresses: readonly string[];
}

export interface TargetRules {
  /**
   * Host names (and IP addresses) that may resolve to loopback and private addresses. A link-local, metadata,
   * unspecified, multicast or special-purpose address is let through only where the address itself is named here:
   * whoever owns a name's DNS must not be able to point it at a metadata service.
   */
  readonly allowedHosts: readonly string[];
  readonly lookup: Lookup;
}

/** Reads a URL that a policy, a discovery document or a redirect names: http or https, no credentials. */
export function parseTargetUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url === undefined)
    throw new KeySetError('url-refused', `${quoted(text.replace(/[?#].*$|\/\/[^/]*@/gs, ''))} is not a URL`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new KeySetError('url-refused', `expected an http or https URL, found scheme ${quoted(url.protocol)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new KeySetError('url-refused', `${quotedUrl(url)} carries credentials, which are not sent`);
  }
  return url;
}

/**
 * Resolves the host once and checks every address of the answer: one that is refused refuses the host, so that a
 * mixed answer cannot slip one through. The connection must go to these addresses, not to a second answer.
 */
export async function checkTarget(url: URL, rules: TargetRules, signal: AbortSignal): Promise<CheckedTarget> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolve(host, rules.lookup, signal) : [host];
  const allowed = new Set(rules.allowedHosts.map(normalHost));
  for (const address of addresses) {
    const kind = addressKind(address);
    if (kind === undefined || isAllowed(kind, host, address, allowed)) continue;
    throw new KeySetError(
      'host-refused',
      `host ${quoted(host)} is at the ${kind} address ${quoted(address)}, which key sets may not come from`,
    );
  }
  return { url, addresses };
}

/** The host of a URL as names are compared: lower case, no brackets, no trailing dot. */
export function hostOf(url: URL): string {
  return normalHost(url.hostname);
}

const liftedByName: ReadonlySet<AddressKind> = new Set(['loopback', 'private']);

function isAllowed(kind: AddressKind, host: string, address: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has(normalHost(address)) || (liftedByName.has(kind) && allowed.has(host));
}

function normalHost(host: string): string {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return isIP(name) === 0 ? name.replace(/\.$/, '') : ipaddr.parse(name).toString();
}

async function resolve(host: string, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  try {
    // getaddrinfo cannot be cancelled, the wait for it can.
    const addresses = await abortable(lookup(host, signal), signal);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    signal.throwIfAborted();
    throw new KeySetError('host-unknown', `host ${quoted(host)} has no address`, { cause });
  }
  throw new KeySetError('host-unknown', `host ${quoted(host)} has no address`);
}
