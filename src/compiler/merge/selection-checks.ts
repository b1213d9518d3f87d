import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { AuthorizationPolicy } from '../policy/authorization-policy.ts';
import type { RequestAuthentication } from '../policy/request-authentication.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import { hasLabels, LabelIndex, selects } from '../topology/selector.ts';

/** Reports policies of tokens and access whose selector finds nobody: a mistyped label leaves its workload open. */
export function checkSelections(
  policies: readonly (RequestAuthentication | AuthorizationPolicy)[],
  topology: Topology,
  rootNamespace: string,
  bag: DiagnosticBag,
): void {
  for (const policy of policies) {
    const { document, kind, namespace, spec } = policy;
    if (!hasLabels(spec.selector)) continue;
    const wanted = spec.selector?.matchLabels;
    const workloads = indexOf(topology);
    const isHeld =
      workloads.select(namespace, wanted).length > 0 ||
      (namespace === rootNamespace && topology.workloads.some((one) => isProxied(one) && selects(wanted, one.labels)));
    if (isHeld) continue;
    bag.report('selector-without-workload', document.spanOf(['spec', 'selector'], 'key'), {
      kind,
      name: nameOf(policy),
    });
  }
}

/** Made once a topology: compiling again looks at the policies alone. */
const indexes = new WeakMap<Topology, LabelIndex<Workload>>();

function indexOf(topology: Topology): LabelIndex<Workload> {
  const index = indexes.get(topology) ?? new LabelIndex(topology.workloads.filter(isProxied));
  indexes.set(topology, index);
  return index;
}

function isProxied({ role }: Workload): boolean {
  return role !== 'none';
}
