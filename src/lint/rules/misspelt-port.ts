import type { Workload } from '../../compiler/topology/model.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { rulesOf } from '../authorization/walk.ts';
import { at, podSpecPath } from '../pod-spec.ts';
import type { Rule } from '../rule.ts';

/** A port on which no selected workload listens, one digit away from one on which it does. */
export const rule: Rule = {
  code: 'misspelt-port',
  id: 'MP326',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a port in an access rule that differs by one digit from a port of the workloads',
  why: 'no connection comes in on that port, so the condition matches nothing: an ALLOW rule lets nobody in by it, and a DENY rule denies nobody',
  hint: 'write the container port',
  check({ snapshot, report }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const isServed = (port: string): boolean =>
        workloads.some(({ targets }) => targets.some(({ targetPort }) => targetPort === Number(port)));
      // A rule that names a port of the workloads beside another one knows them.
      const rules = rulesOf([policy]).filter(({ rule: { to = [] } }) =>
        to.some(({ operation: { ports } }) => ports !== undefined && !ports.some(isServed)),
      );
      if (rules.length === 0) continue;
      const open = new Set(workloads.flatMap(openPorts));
      const served = [...new Set(workloads.flatMap(({ targets }) => targets.map((it) => String(it.targetPort))))];
      for (const { rule, path } of rules) {
        for (const [i, { operation }] of (rule.to ?? []).entries()) {
          const { ports = [] } = operation;
          if (ports.some((port) => open.has(port))) continue;
          for (const [k, port] of ports.entries()) {
            const meant = served.filter((other) => isOneDigitOff(port, other));
            if (meant.length !== 1) continue;
            const message = `no workload that the policy selects listens on port ${port}`;
            const hint = `did you mean "${meant[0]}"?`;
            report({ object: policy, path: [...path, 'to', i, 'operation', 'ports', k], message, hint });
          }
        }
      }
    }
  },
};

/** Of the services, and of the containers, as far as these say it; the numbers of service ports are told by another rule. */
function openPorts({ targets, object }: Workload): readonly string[] {
  const containers = at(object, [...podSpecPath(object), 'containers']);
  const declared = (Array.isArray(containers) ? containers : []).flatMap((container) => {
    const { ports } = container as { readonly ports?: readonly { readonly containerPort?: number }[] };
    return (ports ?? []).map(({ containerPort }) => String(containerPort));
  });
  return [...declared, ...targets.flatMap(({ targetPort, port }) => [String(targetPort), String(port.number)])];
}

/** One digit is another, or two neighbours are swapped; short numbers are too near to each other to tell. */
function isOneDigitOff(port: string, other: string): boolean {
  if (port.length !== other.length || port.length < 4) return false;
  const off = [...port].flatMap((digit, i) => (digit === other[i] ? [] : [i]));
  const [first = 0, second = 0] = off;
  if (off.length === 1) return true;
  return off.length === 2 && second === first + 1 && port[first] === other[second] && port[second] === other[first];
}
