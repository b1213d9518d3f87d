import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Gateway } from '../../policy/gateway.ts';
import { gatewayNameLabel } from '../../policy/gateway-api.ts';
import { writtenField } from '../../policy/written-field.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { type Labels, selects } from '../topology/selector.ts';
import type { GatewayIndex } from './gateway-index.ts';

/** Reports Gateways that no workload serves. */
export function checkGateways(
  gateways: readonly Gateway[],
  index: GatewayIndex,
  { workloads, unseenIn }: Topology,
  bag: DiagnosticBag,
): void {
  const routers = workloads.filter(({ role }) => role === 'router');
  const served = new Set(routers.flatMap((workload) => index.of(workload)));
  const sidecars = workloads.filter(({ role }) => role === 'sidecar');
  const values = valuesByKey(routers);
  for (const gateway of gateways) {
    // One listener speaks for all of its Gateway.
    if (served.has(gateway) || gateway.standard?.isFirst === false) continue;
    const { namespace, name } = writtenField(gateway, []).object;
    // Gateways usually run in a namespace of their own, and their objects stand beside the applications.
    const others = routers.filter(({ labels }) => !isOpposite(gateway.spec.selector ?? {}, labels));
    const isMade = gateway.standard !== undefined && gateway.spec.selector?.[gatewayNameLabel] !== undefined;
    const isUnseen = isMade || others.length === 0 || unseenIn.size > 0;
    bag.report(
      'gateway-without-workload',
      gateway.document.spanOf(['spec', 'selector']),
      { gateway: `${namespace}/${name}` },
      { isUnseen, hint: hintOfSidecar(gateway, sidecars) ?? hintFor(gateway, values) },
    );
  }
}

/** Whether a workload is for what leaves the mesh, and the selector for what enters it, or the other way. */
function isOpposite(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).some(([key, wanted]) => {
    const [asked, found] = [wanted, labels[key] ?? ''].map((text) => /ingress|egress/.exec(text)?.[0]);
    return asked !== undefined && found !== undefined && asked !== found;
  });
}

/** The values that gateway workloads have of each label. */
function valuesByKey(routers: readonly Workload[]): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>();
  for (const { labels } of routers) {
    for (const [key, value] of Object.entries(labels)) values.set(key, (values.get(key) ?? new Set()).add(value));
  }
  return values;
}

/** Of a workload that has the labels and runs a sidecar: labels alone make no gateway of it. */
function hintOfSidecar({ spec, standard }: Gateway, sidecars: readonly Workload[]): string | undefined {
  const wanted = spec.selector ?? {};
  if (Object.keys(wanted).length === 0) return undefined;
  const found = sidecars.find(
    ({ namespace, labels }) => (standard?.namespace ?? namespace) === namespace && selects(wanted, labels),
  );
  if (found === undefined) return undefined;
  const { kind, namespace, name } = found;
  return `${kind} "${namespace}/${name}" has these labels and runs a sidecar: make it a gateway by the annotation "inject.mesh.io/templates: gateway" for injection, or by the arguments [proxy, router] of its container mesh-proxy`;
}

/** The one value that all gateway workloads of the input have of a label of the selector. */
function hintFor({ spec, standard }: Gateway, values: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  if (standard !== undefined) {
    const labels = Object.entries(spec.selector ?? {}).map(([key, value]) => `${key}: ${value}`);
    return `give its pods in namespace "${standard.namespace}" the labels ${labels.join(', ')}, or name their Service in "addresses"`;
  }
  for (const [key, wanted] of Object.entries(spec.selector ?? {})) {
    const [value, ...others] = values.get(key) ?? [];
    if (value === undefined || others.length > 0 || value === wanted) continue;
    return `did you mean the value "${value}"? The gateway workloads of the input have this label with that value`;
  }
  return undefined;
}
