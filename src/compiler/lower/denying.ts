import type { Settings } from '../../config/settings.ts';
import type { FilterChainIR, ListenerIR } from '../ir/listener.ts';
import type { AssignmentsIR, ProxyIR } from '../ir/proxy.ts';
import type { RbacIR } from '../ir/rbac.ts';
import { tcpProxy } from './filters.ts';
import { clusterNames } from './names.ts';
import { noOrigins } from './origins.ts';

/** Under ALLOW, no policy allows nothing. */
const denyAll: RbacIR = { kind: 'rbac', action: 'ALLOW', policies: [], shadow: undefined, origins: noOrigins };

/** Lowering gives the same proxy again as long as nothing changes: so does this. */
const denyingForms = new WeakMap<ProxyIR, ProxyIR>();

const nothingAssigned: AssignmentsIR = { endpoints: [], places: new Map(), conflicts: [] };

/**
 * The same proxy with the same open ports, of which none lets anything through: a connection is closed at once, before a
 * TLS handshake, and whatever it sends goes nowhere. Redirected connections too, inbound and outbound: what the other
 * listeners would take stays with the two that receive everything.
 */
export function denying(proxy: ProxyIR, settings: Settings): ProxyIR {
  const known = denyingForms.get(proxy);
  if (known !== undefined) return known;
  const { inbound, outbound } = proxy;
  const made = {
    ...proxy,
    inbound: { listeners: denyingListeners(inbound.listeners, settings), routes: [], clusters: [] },
    outbound: {
      listeners: denyingListeners(outbound.listeners, settings),
      routes: [],
      clusters: outbound.clusters.filter(({ name }) => name === clusterNames.blackHole),
    },
    assignments: { inbound: nothingAssigned, outbound: nothingAssigned },
  };
  denyingForms.set(proxy, made);
  return made;
}

/** Of those that open a port. */
function denyingListeners(listeners: readonly ListenerIR[], settings: Settings): readonly ListenerIR[] {
  return listeners.filter(({ bindToPort }) => bindToPort).map((listener) => denyingListener(listener, settings));
}

function denyingListener(listener: ListenerIR, settings: Settings): ListenerIR {
  return {
    ...listener,
    useOriginalDst: false,
    listenerFilters: {
      originalDst: false,
      originalSrcMark: undefined,
      tlsInspector: undefined,
      httpInspector: undefined,
      timeoutMs: 0,
      continueOnTimeout: true,
    },
    filterChains: [denyingChain(listener.name, settings)],
    defaultFilterChain: undefined,
    origins: noOrigins,
  };
}

/** The cluster without hosts closes also connections that send nothing, which RBAC never looks at. */
function denyingChain(listener: string, settings: Settings): FilterChainIR {
  const { accessLogCluster: _service, ...filter } = tcpProxy(
    { statPrefix: 'denied', cluster: clusterNames.blackHole, origins: noOrigins },
    settings,
  );
  return {
    name: `${listener}-denied`,
    match: {
      destinationPort: undefined,
      transportProtocol: undefined,
      applicationProtocols: [],
      serverNames: [],
      destinationPrefixes: [],
    },
    tls: undefined,
    policyFilters: [denyAll],
    filter,
    origins: noOrigins,
  };
}
