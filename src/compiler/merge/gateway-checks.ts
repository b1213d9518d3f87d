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
    const { namespace, name, document } = gateway;
    // Gateways usually run in a namespace of their own, and their objects stand beside the applications.
    const isUnseen = !workloads.some(({ role }) => role === 'router');
    bag.report(
      'gateway-without-workload',
      document.spanOf(['spec', 'selector']),
      { gateway: `${namespace}/${name}` },
      { isUnseen },
    );
  }
}
