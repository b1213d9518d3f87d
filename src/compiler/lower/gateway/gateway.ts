import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { Secret } from '../../../policy/topology-kinds.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import type { InboundIR } from '../../ir/proxy.ts';
import type { ClientScope, Effective } from '../../merge/effective.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import { boundGateways } from '../../topology/gateway-name.ts';
import type { Workload } from '../../topology/model.ts';
import type { Lowering } from '../lowering.ts';
import { joinOrigins } from '../origins.ts';
import { policyFilters } from '../policy-filters.ts';
import { Destinations } from '../routes/destinations.ts';
import { alpnOverride } from './alpn-override.ts';
import { portChains } from './chains.ts';
import type { GatewayContext } from './gateway-context.ts';
import { type GatewayPort, mergePorts } from './ports.ts';
import { portTables } from './route-tables.ts';
import { type ClosingSecrets, checkSecrets } from './secrets.ts';
import { type GatewayServer, gatewayKey, gatewayServers, isSecure } from './server.ts';
import { serverNameClusters } from './server-name-clusters.ts';
import { gatewayTopologyOf } from './topology.ts';

/** What the listeners of one gateway workload depend on, beside its scope. */
export interface GatewayInput {
  readonly effective: Effective;
  readonly scope: ClientScope;
  /** Of the workload's namespace. */
  readonly secrets: readonly Secret[];
  /** Of these; the same object as long as it holds the same names. */
  readonly closing: ClosingSecrets;
}

/** What one gateway workload serves: a listener a port, and for each kind of HTTP on it a route table. */
export function lowerGateway(
  workload: Workload,
  { effective, scope, secrets, closing }: GatewayInput,
  lowering: Lowering,
  bag: DiagnosticBag,
): InboundIR {
  const { settings, memo } = lowering;
  const gateways = effective.gateways(workload);
  const virtualServices = effective.virtualServices(scope);
  const services = effective.outbound(scope);
  const bytePorts = portsOfBytes(gatewayServers(gateways, workload));
  const filters = policyFilters(workload, { effective, scope, bytePorts }, lowering, bag);
  const inputs = [workload, gateways, virtualServices, services, filters, closing, ...secrets] as const;
  return memo.of(inputs, `gateway ${scope.key}`, bag, (own) => {
    const { ports, conflicts } = mergePorts(gatewayServers(gateways, workload), settings, own);
    const destinations = new Destinations(services, workload.namespace);
    const context: Omit<GatewayContext, 'tables'> = {
      settings,
      filters,
      topology: gatewayTopologyOf(workload, settings, own),
      servers: ports.flatMap((port) => port.servers),
      boundTo: (gateway) => virtualServices.filter((it) => isBound(it, gateway)),
      routeContext: (server) => ({
        gateway: gatewayKey(server.gateway),
        listenPort: server.server.port.number,
        client: scope,
        destinations,
        settings,
      }),
      alpnOverrideFor: (table) => alpnOverride(table, services, settings),
    };
    checkSecrets(context.servers, workload, secrets, closing, own);
    const routes = ports.flatMap((port) => portTables(port, context, own));
    const tables = new Map(routes.map((table) => [table.name, table]));
    const listeners = ports.flatMap((port) => listener(port, { ...context, tables }, own) ?? []);
    return {
      listeners: sortedBy(listeners, ({ name }) => name),
      routes: sortedBy(routes, ({ name }) => name),
      clusters: serverNameClusters(listeners, services, scope, lowering, own),
      ...(conflicts.length === 0 ? {} : { conflicts }),
    };
  });
}

function portsOfBytes(servers: readonly GatewayServer[]): readonly number[] {
  const ports = servers.filter(({ class: kind }) => kind !== 'http' && kind !== 'https');
  return [...new Set(ports.map(({ listenPort }) => listenPort))].sort((a, b) => a - b);
}

function isBound({ namespace, spec }: EffectiveVirtualService, gateway: string): boolean {
  return boundGateways(spec.gateways, namespace).includes(gateway);
}

/** Undefined for a port without a chain, which would accept connections only to close them. */
function listener(port: GatewayPort, context: GatewayContext, bag: DiagnosticBag): ListenerIR | undefined {
  const chains = portChains(port, context, bag);
  if (chains.length === 0) return undefined;
  const { settings } = context;
  const { handshakeTimeoutMs, connectionBufferBytes } = settings.gatewayLimits;
  return {
    name: port.listener,
    addresses: port.addresses,
    port: port.port,
    direction: 'OUTBOUND',
    bindToPort: true,
    useOriginalDst: false,
    transparent: false,
    listenerFilters: {
      ...(context.topology.hasProxyProtocol ? { proxyProtocol: true } : {}),
      originalDst: false,
      originalSrcMark: undefined,
      tlsInspector: isSecure(port.servers[0]) ? { disabledPorts: [] } : undefined,
      httpInspector: undefined,
      timeoutMs: handshakeTimeoutMs,
      continueOnTimeout: false,
    },
    filterChains: chains,
    defaultFilterChain: undefined,
    accessLog: settings.accessLogFile !== '',
    connectionBufferBytes,
    notForAddresses: [],
    origins: port.servers.map(({ origins }) => origins).reduce(joinOrigins),
  };
}
