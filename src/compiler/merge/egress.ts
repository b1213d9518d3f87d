import { sortedBy } from '../../lib/sort.ts';
import type { SidecarEgress } from '../../policy/sidecar.ts';
import { resolveShortName } from '../topology/host.ts';
import type { IpFamily, Service } from '../topology/model.ts';
import type { Protocol } from '../topology/protocol.ts';
import { selectProtocol } from '../topology/protocol-selection.ts';
import { isVisible } from '../topology/visibility.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';
import { type EgressHost, egressHosts, egressKey } from './egress-hosts.ts';

/** Services that a client imports, and the listener through which it reaches them. */
export interface EgressListener {
  readonly hosts: readonly EgressHost[];
  /** Absent: every port but those that other listeners name. */
  readonly port?: { readonly number: number; readonly protocol: Protocol };
  /** Absent: the addresses of the services. */
  readonly address?: string;
  /** The application connects to it: nothing is redirected there. */
  readonly isBound?: true;
}

const made = new WeakMap<readonly SidecarEgress[], Map<string, readonly EgressListener[]>>();

/**
 * The `egress` of a Sidecar as clients of a namespace mean it; equal meanings have equal forms. Made once for all clients of a
 * namespace, since there may be thousands of hosts.
 */
export function egressListeners(egress: readonly SidecarEgress[], client: EgressClient): readonly EgressListener[] {
  const ofSidecar = made.get(egress) ?? new Map<string, readonly EgressListener[]>();
  made.set(egress, ofSidecar);
  const key = `${client.namespace} ${client.families.join()}`;
  const listeners = ofSidecar.get(key) ?? listenersOf(egress, client);
  ofSidecar.set(key, listeners);
  return listeners;
}

function listenersOf(egress: readonly SidecarEgress[], client: EgressClient): readonly EgressListener[] {
  const byPlace = new Map<string, { readonly place: Omit<EgressListener, 'hosts'>; readonly hosts: string[] }>();
  for (const listener of egress) {
    const place = placeOf(listener, client);
    const key = JSON.stringify(place);
    const known = byPlace.get(key);
    if (known === undefined) byPlace.set(key, { place, hosts: [...listener.hosts] });
    else for (const host of listener.hosts) known.hosts.push(host);
  }
  return [...byPlace.keys()].sort().flatMap((key) => {
    const { place, hosts } = byPlace.get(key) ?? {};
    return hosts === undefined ? [] : [{ ...place, hosts: importedHosts(hosts, client.namespace) }];
  });
}

/** Whose listeners they are. */
export interface EgressClient {
  readonly namespace: string;
  readonly families: readonly IpFamily[];
}

function placeOf(
  { port, bind, captureMode }: SidecarEgress,
  { families }: EgressClient,
): Omit<EgressListener, 'hosts'> {
  if (port === undefined) return {};
  const { number, protocol } = port;
  const isBound = captureMode === 'NONE';
  const loopback = families.includes('ipv4') ? '127.0.0.1' : '::1';
  const address = bind ?? (isBound ? loopback : undefined);
  return {
    port: { number, protocol: selectProtocol({ number, name: '', appProtocol: protocol }) },
    // The wildcard is where listeners stand anyhow.
    ...(address === undefined || address === '0.0.0.0' || address === '::' ? {} : { address }),
    ...(isBound ? { isBound } : {}),
  };
}

/** Whether a listener imports anything of a namespace, or would if there were a host that it names. */
export function importsFrom({ hosts }: EgressListener, namespace: string): boolean {
  return egressHosts(hosts).names(namespace);
}

/** Whether a listener imports a service that has its port, by its own name or one of its aliases that the client sees. */
export function importsService({ hosts, port }: EgressListener, service: Service, client: string): boolean {
  if (port !== undefined && !service.ports.some(({ number }) => number === port.number)) return false;
  const names = service.aliases.filter((alias) => isVisible(alias.exportTo, alias.namespace, client));
  const index = egressHosts(hosts);
  return [service, ...names].some((named) => index.covers(named.namespace, named.host));
}

/** Whether a listener imports the routes of a VirtualService: those of its namespace for a host that it names. */
export function importsRoutes({ hosts }: EgressListener, routes: EffectiveVirtualService, domain: string): boolean {
  const index = egressHosts(hosts);
  return (routes.spec.hosts ?? []).some((host) =>
    index.meets(routes.namespace, resolveShortName(host, routes.namespace, domain)),
  );
}

/** Without what another entry covers, sorted; `~` imports nothing. */
function importedHosts(hosts: readonly string[], client: string): readonly EgressHost[] {
  const all = hosts.flatMap((text): EgressHost[] => {
    const [namespace = '', host = ''] = text.toLowerCase().split('/');
    return namespace === '~' ? [] : [{ namespace: namespace === '.' ? client : namespace, host }];
  });
  const unique = new Map(all.map((entry) => [egressKey(entry), entry]));
  const index = egressHosts(all);
  return sortedBy(unique.values(), egressKey).filter((entry) => !index.isCovered(entry));
}
