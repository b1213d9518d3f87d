import type { Settings } from '../../../config/settings.ts';
import { hostOnlyAddresses } from '../../../lib/host-only-addresses.ts';
import type { FilterChainIR, ListenerFiltersIR, ListenerIR, NetworkFilterIR } from '../../ir/listener.ts';
import type { Origins } from '../../ir/origin.ts';
import type { Decided, EffectiveInbound, EffectiveMtlsMode } from '../../merge/effective.ts';
import type { IpFamily } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { downstreamMeshTls } from '../auth/downstream-tls.ts';
import type { Delivery } from '../clusters/inbound-clusters.ts';
import { httpConnection, tcpProxy } from '../filters.ts';
import { clusterNames, inboundCluster, routeNames } from '../names.ts';
import { joinOrigins, noOrigins } from '../origins.ts';
import type { ChainFilters, PolicyFilters } from '../policy-filters.ts';
import { wildcardAddresses } from '../wildcard.ts';
import { type ChainShape, chainShapes, type ListenedClass } from './chains.ts';
import type { InboundPort } from './ports.ts';

/** Mark of the proxy's own sockets; the redirection's rules for TPROXY look for it. */
const tproxyMark = 1337;

export interface VirtualInboundInput {
  readonly inbound: EffectiveInbound;
  /** Ascending. */
  readonly ports: readonly InboundPort[];
  readonly delivery: Delivery;
  readonly filters: PolicyFilters;
}

/** The listener that receives every redirected inbound connection. */
export function virtualInbound(input: VirtualInboundInput, settings: Settings): ListenerIR {
  const ports = input.ports.map((port) => declaredPort(port, input.inbound, settings));
  const declared = ports.flatMap(({ number }) => number ?? []);
  const undeclared = undeclaredPorts(input.inbound, settings);
  const chainsOf = portChains(input.filters, declared, settings);
  return {
    name: 'virtualInbound',
    addresses: wildcardAddresses(input.delivery.families),
    port: settings.proxyInboundListenPort,
    direction: 'INBOUND',
    bindToPort: true,
    useOriginalDst: false,
    transparent: input.delivery.isTproxy,
    listenerFilters: listenerFilters(ports, undeclared, input.delivery, settings),
    filterChains: [
      loopProtection(settings),
      ...[...ports, undeclared].flatMap((port) => [
        hostOnlyChain(port, input.delivery.families, settings),
        ...chainsOf(port),
      ]),
    ],
    defaultFilterChain: undefined,
    accessLog: true,
    notForAddresses: [],
    origins: noOrigins,
  };
}

/** Chains of one container port, or of all that nobody declares. */
interface ListenedPort {
  readonly number: number | undefined;
  readonly prefix: string;
  readonly statPrefix: string;
  readonly cluster: string;
  readonly routes: string;
  readonly mode: Decided<EffectiveMtlsMode>;
  readonly shapes: readonly ChainShape[];
  readonly origins: Origins;
}

function declaredPort(
  { number, protocol, origins }: InboundPort,
  inbound: EffectiveInbound,
  settings: Settings,
): ListenedPort {
  const mode = inbound.ports.get(number) ?? inbound.mode;
  // UDP was left out before; what remains is HTTP, TCP or detected.
  const listened = protocolClass(protocol, settings.sniffInbound) as ListenedClass;
  return {
    number,
    prefix: `inbound-${number}`,
    statPrefix: `inbound_${number}`,
    cluster: inboundCluster(number),
    routes: routeNames.inbound(number),
    mode,
    shapes: chainShapes(mode.value, listened),
    origins,
  };
}

function undeclaredPorts({ mode }: EffectiveInbound, settings: Settings): ListenedPort {
  return {
    number: undefined,
    prefix: 'virtualInbound-catchall',
    statPrefix: 'inbound_passthrough',
    cluster: clusterNames.inboundPassthrough,
    routes: routeNames.inboundPassthrough,
    mode,
    shapes: chainShapes(mode.value, settings.sniffInbound ? 'auto' : 'tcp'),
    origins: noOrigins,
  };
}

/** `declared` are the ports with chains of their own: none of their connections comes to another chain. */
function portChains(
  policies: PolicyFilters,
  declared: readonly number[],
  settings: Settings,
): (port: ListenedPort) => FilterChainIR[] {
  return (port) => {
    const filters = policies.on(port.number === undefined ? { allBut: declared } : { only: port.number });
    return port.shapes.map((shape) => ({
      name: `${port.prefix}-${shape.name}`,
      match: {
        destinationPort: port.number,
        transportProtocol: shape.transportProtocol,
        applicationProtocols: shape.applicationProtocols,
        serverNames: [],
        destinationPrefixes: [],
      },
      tls: shape.isTerminated ? downstreamMeshTls(settings, shape.carries, port.mode.origins) : undefined,
      policyFilters: shape.carries === 'tcp' ? filters.network : [],
      filter: terminalFilter(port, shape, filters, settings),
      origins: joinOrigins(port.mode.origins, port.origins),
    }));
  };
}

function terminalFilter(
  port: ListenedPort,
  { carries }: ChainShape,
  filters: ChainFilters,
  settings: Settings,
): NetworkFilterIR {
  const { statPrefix, cluster, origins } = port;
  if (carries === 'tcp') return tcpProxy({ statPrefix, cluster, origins }, settings);
  const http = {
    statPrefix,
    routeConfig: port.routes,
    direction: 'inbound',
    policyFilters: filters.http,
    origins,
  } as const;
  return httpConnection(http, settings);
}

/** A connection to the listener's own port would be sent to itself for ever. */
function loopProtection(settings: Settings): FilterChainIR {
  return closingChain('virtualInbound-blackhole', settings.proxyInboundListenPort, [], settings);
}

/**
 * Closes what a neighbour's frame leads to addresses of the host itself, of which the proxy would dial its own loopback:
 * whatever the rules of the redirection let through. Envoy looks at the port first, so each port has such a chain.
 */
function hostOnlyChain(port: ListenedPort, families: readonly IpFamily[], settings: Settings): FilterChainIR {
  const prefixes = [...families].sort().flatMap((family) => hostOnlyPrefixes[family]);
  return closingChain(`${port.prefix}-host-only`, port.number, prefixes, settings);
}

/** The delivery address of IPv6 is one of lo, which the kernel answers on every link. */
const hostOnlyPrefixes: Readonly<Record<IpFamily, readonly string[]>> = {
  ipv4: hostOnlyAddresses.IPv4,
  ipv6: [...hostOnlyAddresses.IPv6, '::6/128'],
};

function closingChain(
  name: string,
  destinationPort: number | undefined,
  destinationPrefixes: readonly string[],
  settings: Settings,
): FilterChainIR {
  const blackHole = { statPrefix: 'inbound_blackhole', cluster: clusterNames.blackHole, origins: noOrigins };
  return {
    name,
    match: {
      destinationPort,
      transportProtocol: undefined,
      applicationProtocols: [],
      serverNames: [],
      destinationPrefixes,
    },
    tls: undefined,
    policyFilters: [],
    filter: tcpProxy(blackHole, settings),
    origins: noOrigins,
  };
}

/**
 * An inspector delays protocols whose server speaks first, so each is off for the ports whose chains do not look at what
 * it finds, and absent when none does.
 */
function listenerFilters(
  ports: readonly ListenedPort[],
  undeclared: ListenedPort,
  delivery: Delivery,
  settings: Settings,
): ListenerFiltersIR {
  const inspector = (needs: (shape: ChainShape) => boolean) => {
    const disabled = ports.filter(({ shapes }) => !shapes.some(needs));
    const isNeeded = disabled.length < ports.length || undeclared.shapes.some(needs);
    return isNeeded ? { disabledPorts: disabled.map(({ number }) => number ?? 0) } : undefined;
  };
  return {
    originalDst: true,
    originalSrcMark: delivery.isTproxy ? tproxyMark : undefined,
    tlsInspector: inspector(({ transportProtocol }) => transportProtocol === 'tls'),
    httpInspector: inspector(
      ({ transportProtocol, applicationProtocols }) =>
        transportProtocol === 'raw_buffer' && applicationProtocols.length > 0,
    ),
    timeoutMs: settings.inboundDetectionTimeoutMs,
    continueOnTimeout: true,
  };
}
