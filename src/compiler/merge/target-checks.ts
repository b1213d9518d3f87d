import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { gatewayNameLabel } from '../../policy/gateway-api.ts';
import type { BoundPolicy, BoundTarget } from '../../policy/policy-target.ts';
import { writtenField } from '../../policy/written-field.ts';
import type { Topology } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { workloadsByLabels } from '../topology/workload-index.ts';
import type { GatewayIndex } from './gateway-index.ts';

/** Reports a policy that protects nothing at one of the Gateways that it is bound to. */
export function checkTarget(
  policy: BoundPolicy<string>,
  { gateway, fault, isUnseen }: BoundTarget,
  topology: Topology,
  bag: DiagnosticBag,
): void {
  const { kind, namespace, spec, document } = policy;
  const selected = workloadsByLabels(topology).select(namespace, spec.selector?.matchLabels);
  if (selected.some(({ role }) => role !== 'none')) return;
  const why =
    fault ?? (selected.length === 0 ? 'no workload of the input serves it' : 'none of its workloads has a proxy');
  // Who makes the proxies of a Gateway from its class writes them down nowhere.
  const isMade = selected.length === 0 && spec.selector?.matchLabels?.[gatewayNameLabel] !== undefined;
  const absent = isUnseen === true || (fault === undefined && (isMade || topology.unseenIn.has(namespace)));
  const span = document.spanOf(['spec', 'selector']);
  bag.report('target-without-effect', span, { kind, name: nameOf(policy), gateway, why }, { isUnseen: absent });
}

/** Reports policies that apply to Gateways which they do not name, because the same workloads serve them. */
export function checkSharedTargets(
  policies: readonly BoundPolicy<string>[],
  gateways: GatewayIndex,
  topology: Topology,
  bag: DiagnosticBag,
): void {
  for (const policy of policies) {
    const { target, kind, namespace, spec } = policy;
    if (target === undefined) continue;
    const workloads = workloadsByLabels(topology).select(namespace, spec.selector?.matchLabels);
    const served = workloads.filter(({ role }) => role === 'router').flatMap((workload) => gateways.of(workload));
    const standard = served.filter((gateway) => gateway.standard !== undefined);
    const names = new Set(standard.map((gateway) => nameOf(writtenField(gateway, []).object)));
    for (const other of names) {
      if (target.gateways.includes(other)) continue;
      const holes = { kind, name: nameOf(policy), gateway: target.gateway, other };
      bag.report('target-shares-workloads', policy.document.spanOf(['spec', 'selector']), holes);
    }
  }
}
