import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { Topology } from '../topology/model.ts';
import type { GatewayIndex } from './gateway-index.ts';

/** Reports Gateways that no workload serves. */
export function checkGateways(
  gateways: readonly Gateway[],
  index: GatewayIndex,
  { workloads }: Topology,
  bag: DiagnosticBag,
): void {
  const served = new Set(workloads.filter(({ role }) => role === 'router').flatMap((workload) => index.of(workload)));
  for (const gateway of gateways) {
    if (served.has(gateway)) continue;
    bag.report('gateway-without-workload', gateway.document.spanOf(['spec', 'selector']), {
      gateway: `${gateway.namespace}/${gateway.name}`,
    });
  }
}
