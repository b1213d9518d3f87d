import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { InboundIR } from '../../ir/proxy.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { ClientScope, Effective, EffectiveInbound } from '../../merge/effective.ts';
import type { Workload } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { type Delivery, inboundPassthroughCluster, inboundPortCluster } from '../clusters/inbound-clusters.ts';
import type { Lowering } from '../lowering.ts';
import { clusterNames, inboundCluster, routeNames } from '../names.ts';
import { noOrigins, servicePortSpan } from '../origins.ts';
import { type PolicyFilters, policyFilters } from '../policy-filters.ts';
import { virtualInbound } from './listener.ts';
import { type InboundPort, inboundPorts, isOwnPort } from './ports.ts';
import { inboundRoutes } from './routes.ts';

/** What one workload accepts: the listener for redirected connections, and for each declared port a cluster and routes. */
export function lowerInbound(
  workload: Workload,
  scope: ClientScope,
  effective: Effective,
  lowering: Lowering,
  bag: DiagnosticBag,
): InboundIR {
  const inbound = effective.inbound(workload);
  const { settings, memo } = lowering;
  const ports = inboundPorts(workload, effective, settings);
  const filters = policyFilters(
    workload,
    { effective, scope, bytePorts: portsOfBytes(ports, settings) },
    lowering,
    bag,
  );
  const isTproxy = (workload.interceptionMode ?? settings.proxy.interceptionMode) === 'TPROXY';
  const delivery: Delivery = { families: workload.families, isTproxy };
  if (isTproxy && settings.inboundDelivery === 'LOCALHOST') {
    bag.report('loopback-delivery-under-tproxy', workload.object.document.start, {
      workload: `${workload.namespace}/${workload.name}`,
    });
  }
  warnOfOwnPorts(workload, settings, bag);
  if (isTproxy) refuseLoopback(workload, ports, bag);
  const [first, ...others] = [...ports.flatMap((port) => port.inputs), inbound, filters];
  const label = `inbound ${ports.map(({ number }) => number).join()} ${deliveryLabel(delivery)}`;
  return memo.of([first ?? inbound, ...others], label, bag, (own) =>
    inboundIr({ inbound, ports, delivery, filters }, lowering, own),
  );
}

interface InboundInput {
  readonly inbound: EffectiveInbound;
  readonly ports: readonly InboundPort[];
  readonly delivery: Delivery;
  readonly filters: PolicyFilters;
}

function warnOfOwnPorts({ namespace, name, targets }: Workload, settings: Settings, bag: DiagnosticBag): void {
  for (const { service, port, targetPort } of targets) {
    if (!isOwnPort(targetPort, settings)) continue;
    bag.report('target-port-of-proxy', servicePortSpan(service, port.number), {
      port: String(port.number),
      service: `${service.namespace}/${service.name}`,
      targetPort: String(targetPort),
      workload: `${namespace}/${name}`,
    });
  }
}

/** On detected ports a connection may still turn out to be HTTP. */
function portsOfBytes(ports: readonly InboundPort[], { sniffInbound }: Settings): readonly number[] {
  return ports.filter(({ protocol }) => protocolClass(protocol, sniffInbound) === 'tcp').map(({ number }) => number);
}

/** Connections keep the client's address, from which the kernel lets none onto loopback. */
function refuseLoopback(workload: Workload, ports: readonly InboundPort[], bag: DiagnosticBag): void {
  for (const { endpoint, number, origins } of ports) {
    const [origin] = origins.decidedBy;
    if (endpoint === undefined || origin === undefined) continue;
    const holes = { workload: `${workload.namespace}/${workload.name}`, port: String(number) };
    bag.report('ingress-endpoint-under-tproxy', origin.at.spanOf([...origin.field, 'defaultEndpoint']), holes);
  }
}

function inboundIr(input: InboundInput, lowering: Lowering, bag: DiagnosticBag): InboundIR {
  const { inbound, ports, delivery, filters } = input;
  const { settings, memo } = lowering;
  const passthrough = memo.of([settings], `InboundPassthroughCluster ${deliveryLabel(delivery)}`, bag, () =>
    inboundPassthroughCluster(delivery, lowering),
  );
  const clusters: ClusterIR[] = [passthrough];
  const routes: RouteConfigurationIR[] = [];
  for (const port of ports) {
    const { number, origins } = port;
    const label = `${number} ${deliveryLabel(delivery)}`;
    clusters.push(
      memo.of(port.inputs, `inbound cluster ${label}`, bag, () => inboundPortCluster(port, delivery, lowering)),
    );
    if (protocolClass(port.protocol, settings.sniffInbound) === 'tcp') continue;
    routes.push(
      memo.of(port.inputs, `inbound routes ${number}`, bag, () =>
        inboundRoutes(routeNames.inbound(number), inboundCluster(number), origins),
      ),
    );
  }
  if (settings.sniffInbound) {
    routes.push(
      memo.of([settings], 'inbound passthrough routes', bag, () =>
        inboundRoutes(routeNames.inboundPassthrough, clusterNames.inboundPassthrough, noOrigins),
      ),
    );
  }
  return {
    listeners: [virtualInbound({ inbound, ports, delivery, filters }, settings)],
    routes: sortedBy(routes, ({ name }) => name),
    clusters: sortedBy(clusters, ({ name }) => name),
  };
}

function deliveryLabel({ families, isTproxy }: Delivery): string {
  return `${families.join()} ${isTproxy ? 'TPROXY' : 'REDIRECT'}`;
}
