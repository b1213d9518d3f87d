import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Workload } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import type { IngressPort } from './ingress.ts';
import type { SelectingPolicies } from './selecting-policies.ts';
import type { SidecarIndex } from './sidecar-index.ts';

/**
 * Reports rules about the number of a port to which a Sidecar leads connections on loopback: the rules see these connections
 * on the port that accepts them. A rule that names that port too is meant for both.
 */
export function checkEndpointPorts(
  sidecars: SidecarIndex,
  policies: SelectingPolicies<AuthorizationPolicy>,
  workloads: readonly Workload[],
  bag: DiagnosticBag,
): void {
  const told = new Set<string>();
  for (const workload of policies.isEmpty ? [] : workloads) {
    if (workload.role !== 'sidecar') continue;
    const led = sidecars.ingressOf(workload).filter(({ endpoint, number }) => endpoint && endpoint.port !== number);
    if (led.length === 0) continue;
    for (const policy of policies.of(workload)) {
      for (const named of portsNamed(policy)) {
        for (const ingress of led) report(policy, named, ingress, told, bag);
      }
    }
  }
}

/** Ports that a rule lists in one place. */
interface NamedPorts {
  readonly path: JsonPath;
  readonly ports: readonly string[];
}

function portsNamed({ spec: { rules = [] } }: AuthorizationPolicy): readonly NamedPorts[] {
  return rules.flatMap(({ to = [], when = [] }, i) => {
    const operations = to.flatMap(({ operation }, j) =>
      (['ports', 'notPorts'] as const).map((field) => ({
        path: ['spec', 'rules', i, 'to', j, 'operation', field],
        ports: operation[field] ?? [],
      })),
    );
    const conditions = when.flatMap(({ key, ...condition }, j) =>
      (['values', 'notValues'] as const).map((field) => ({
        path: ['spec', 'rules', i, 'when', j, field],
        ports: key === 'destination.port' ? (condition[field] ?? []) : [],
      })),
    );
    return [...operations, ...conditions];
  });
}

/** Once a place and listener, however many workloads there are. */
function report(
  policy: AuthorizationPolicy,
  { path, ports }: NamedPorts,
  { number, endpoint, sidecar, origins }: IngressPort,
  told: Set<string>,
  bag: DiagnosticBag,
): void {
  const at = ports.indexOf(String(endpoint?.port));
  if (at === -1 || ports.includes(String(number))) return;
  const span = policy.document.spanOf([...path, at]);
  const key = JSON.stringify([span, number, nameOf(sidecar)]);
  if (told.has(key)) return;
  told.add(key);
  const [listener] = origins.decidedBy;
  const holes = { endpoint: String(endpoint?.port), port: String(number), sidecar: nameOf(sidecar) };
  const related = listener === undefined ? [] : [{ message: 'the listener', span: listener.at.spanOf(listener.field) }];
  bag.report('port-behind-ingress-listener', span, holes, { hint: `name port ${number} too`, related });
}
