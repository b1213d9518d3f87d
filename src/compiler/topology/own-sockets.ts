import ipaddr from 'ipaddr.js';
import { loopbackPorts, ownPorts } from '../../config/proxy-ports.ts';
import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Endpoint, Service } from './model.ts';

/** Name of the socket, in the proxy's configuration folder, over which Envoy gets the workload's private key. */
const identitySocket = 'SDS';

/** Why a proxy must not dial an endpoint, with the words for the user. */
interface EndpointRefusal {
  readonly code: 'endpoint-of-proxy' | 'local-endpoint';
  readonly why: string;
}

type Target = Pick<Endpoint, 'address' | 'port'>;

/**
 * The endpoints of a service that a proxy may connect to. The others could lead the proxy to its own ports, which trust
 * every caller. The proxy's own ports are refused at any address; those that it serves on loopback alone are refused at
 * loopback and at host names, whose addresses are not known here. Addresses that each machine has for itself are
 * refused at any port. Settings name exceptions, except for the admin interface on loopback and the socket of the private
 * key. Each reason causes one warning and no error, so that the author of one service can't keep the others from compiling.
 */
export function withoutRefused<T extends { readonly endpoint: Endpoint }>(
  { object, host }: Omit<Service, 'facts'>,
  found: readonly T[],
  settings: Settings,
  bag: DiagnosticBag,
): T[] {
  const refusalOf = endpointRules(settings, host);
  const refused = new Map<string, EndpointRefusal & { readonly targets: string[] }>();
  const kept = found.filter(({ endpoint }) => {
    const refusal = refusalOf(endpoint);
    if (refusal === undefined) return true;
    const targets = refused.get(refusal.why)?.targets ?? [];
    targets.push(textOf(endpoint));
    refused.set(refusal.why, { ...refusal, targets });
    return false;
  });
  for (const { code, why, targets } of refused.values()) {
    const others = targets.length > 1 ? ` (and ${targets.length - 1} more)` : '';
    const endpoint = `${targets[0]}${others}`;
    bag.report(code, object.document.spanOf(['metadata', 'name']), { endpoint, host, why });
  }
  return kept;
}

function textOf({ address, port }: Target): string {
  return address.startsWith('unix://') ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function endpointRules(settings: Settings, host: string): (target: Target) => EndpointRefusal | undefined {
  const ports = ownPorts(settings);
  const ofLoopback = loopbackPorts(settings);
  // Only names are in question: the address of an interface does not lead there.
  const surfaceOfLoopback = (address: string, port: number): string | undefined =>
    ofLoopback.has(port) && (!ipaddr.isValid(address) || localRange(address) !== undefined)
      ? ofLoopback.get(port)
      : undefined;
  const mayDialPorts = settings.allowedProxyPortHosts.includes(host);
  return ({ address, port }) => {
    if (address.startsWith('unix://')) {
      return isIdentitySocket(address)
        ? { code: 'endpoint-of-proxy', why: "this socket would reveal the client's private key" }
        : undefined;
    }
    const range = localRange(address);
    if (range !== undefined && range !== 'link-local' && port === settings.proxy.adminPort) {
      return { code: 'endpoint-of-proxy', why: "it is the admin interface of the client's own proxy" };
    }
    const surface = ports.get(port) ?? surfaceOfLoopback(address, port);
    if (surface !== undefined && !mayDialPorts) {
      return { code: 'endpoint-of-proxy', why: `every proxy uses port ${port} itself, for ${surface}` };
    }
    if (range === undefined || isAllowed(address, settings.allowedLocalEndpoints)) return undefined;
    return { code: 'local-endpoint', why: `its address is ${range}, which is a different machine for each client` };
  };
}

/** A path is told by its last part: the folder has many spellings (`/proc/self/cwd/…`). */
function isIdentitySocket(address: string): boolean {
  return address.split('/').at(-1) === identitySocket;
}

type LocalRange = 'loopback' | 'unspecified' | 'link-local';

/** Undefined for addresses that lead to another machine, and for names but those of loopback (RFC 6761, section 6.3). */
function localRange(address: string): LocalRange | undefined {
  // Most endpoints of a mesh are plain IPv4 addresses: parsing each would cost more than the rest of resolving them.
  const mayBeLocal = address.includes(':') || /^(?:127|0|169\.254)\./.test(address);
  if (!mayBeLocal || !ipaddr.isValid(address)) return isLoopbackName(address) ? 'loopback' : undefined;
  switch (ipaddr.process(address).range()) {
    case 'loopback':
      return 'loopback';
    case 'unspecified':
      // Linux connects it to loopback.
      return 'unspecified';
    case 'linkLocal':
      return 'link-local';
    default:
      return undefined;
  }
}

function isLoopbackName(name: string): boolean {
  return /(^|\.)localhost\.?$/.test(name);
}

/** A name of loopback is allowed where 127.0.0.1 is. */
function isAllowed(address: string, allowed: readonly string[]): boolean {
  const target = ipaddr.process(isLoopbackName(address) ? '127.0.0.1' : address);
  return allowed.some((text) => {
    const [prefix, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
    return prefix.kind() === target.kind() && target.match(prefix, bits);
  });
}
