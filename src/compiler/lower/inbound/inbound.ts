import { loopbackPorts, ownPorts } from '../../../config/proxy-ports.ts';
import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import type { ClusterIR } from '../../ir/cluster.ts';
import type { InboundIR } from '../../ir/proxy.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { ClientScope, Effective, EffectiveInbound, EffectiveTraffic } from '../../merge/effective.ts';
import type { ServiceTarget, Workload } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import { type Delivery, inboundPassthroughCluster, inboundPortCluster } from '../clusters/inbound-clusters.ts';
import type { Lowering } from '../lowering.ts';
import { clusterNames, inboundCluster, routeNames } from '../names.ts';
import { noOrigins, servicePortOrigins, servicePortSpan } from '../origins.ts';
import { type PolicyFilters, policyFilters } from '../policy-filters.ts';
import { virtualInbound } from './listener.ts';
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
  const filters = policyFilters(workload, { effective, scope }, lowering, bag);
  const isTproxy = (workload.interceptionMode ?? settings.proxy.interceptionMode) === 'TPROXY';
  const delivery: Delivery = { families: workload.families, isTproxy };
  const inputs = ports.flatMap(({ target, traffic }) => (traffic === undefined ? [target] : [target, traffic]));
  return memo.of([inbound, workload, filters, ...inputs], `inbound ${deliveryLabel(delivery)}`, bag, (own) => {
    if (isTproxy && settings.inboundDelivery === 'LOCALHOST') {
      own.report('loopback-delivery-under-tproxy', workload.object.document.start, {
        workload: `${workload.namespace}/${workload.name}`,
      });
    }
    warnOfOwnPorts(workload, settings, own);
    return inboundIr({ inbound, ports, delivery, filters }, lowering, own);
  });
}

interface InboundPort {
  readonly target: ServiceTarget;
  readonly traffic: EffectiveTraffic | undefined;
}

interface InboundInput {
  readonly inbound: EffectiveInbound;
  readonly ports: readonly InboundPort[];
  readonly delivery: Delivery;
  readonly filters: PolicyFilters;
}

/** Container ports in ascending order; each has one target, that of the oldest service. */
function inboundPorts(workload: Workload, effective: Effective, settings: Settings): readonly InboundPort[] {
  const targets = workload.targets.filter(
    ({ port, targetPort }) => port.protocol !== 'udp' && !isOwnPort(targetPort, settings),
  );
  return sortedBy(targets, ({ targetPort }) => targetPort).map((target) => ({
    target,
    traffic: effective.inboundTraffic(workload.namespace, target.service, target.port),
  }));
}

/**
 * The proxy's listeners and its own surfaces are no application: chains for them would go around the loop protection, and
 * delivery to loopback would open what only the pod itself may do to clients.
 */
function isOwnPort(port: number, settings: Settings): boolean {
  return ownPorts(settings).has(port) || loopbackPorts(settings).has(port);
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

function inboundIr(input: InboundInput, lowering: Lowering, bag: DiagnosticBag): InboundIR {
  const { inbound, ports, delivery, filters } = input;
  const { settings, memo } = lowering;
  const passthrough = memo.of([settings], `InboundPassthroughCluster ${deliveryLabel(delivery)}`, bag, () =>
    inboundPassthroughCluster(delivery, lowering),
  );
  const clusters: ClusterIR[] = [passthrough];
  const routes: RouteConfigurationIR[] = [];
  for (const { target, traffic } of ports) {
    const { service, port, targetPort } = target;
    const inputs = [port, service, ...(traffic === undefined ? [] : [traffic])] as const;
    const label = `${targetPort} ${deliveryLabel(delivery)}`;
    clusters.push(
      memo.of(inputs, `inbound cluster ${label}`, bag, () => inboundPortCluster(target, traffic, delivery, lowering)),
    );
    if (protocolClass(port.protocol, settings.sniffInbound) === 'tcp') continue;
    routes.push(
      memo.of([port, service], `inbound routes ${targetPort}`, bag, () =>
        inboundRoutes(
          routeNames.inbound(targetPort),
          inboundCluster(targetPort),
          servicePortOrigins(service, port.number),
        ),
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
  const targets = ports.map(({ target }) => target);
  return {
    listeners: [virtualInbound({ inbound, targets, delivery, filters }, settings)],
    routes: sortedBy(routes, ({ name }) => name),
    clusters: sortedBy(clusters, ({ name }) => name),
  };
}

function deliveryLabel({ families, isTproxy }: Delivery): string {
  return `${families.join()} ${isTproxy ? 'TPROXY' : 'REDIRECT'}`;
}
