import type { Snapshot } from '../../compiler/snapshot.ts';
import { injectKey, namespaceKey } from '../../compiler/topology/injection.ts';
import { append } from '../../lib/append.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Rule } from '../rule.ts';

const understood: ReadonlySet<string> = new Set(['enabled', 'disabled']);

/** The label of a namespace knows two words; a pod's own label, which knows others, is often taken for it. */
export const rule: Rule = {
  code: 'injection-label-without-effect',
  id: 'MP115',
  severity: 'warning',
  category: 'peer-authentication',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['Namespace'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a label of a namespace that is meant for injection and has no effect',
  why: 'the label as it is written switches nothing on: pods that have no label of their own get no sidecar, and no policy applies to them',
  hint: 'write the label "mesh-injection: enabled"',
  outranks: ['policy-in-force-nowhere'],
  check({ snapshot, report }) {
    const nowhere = policiesInForceNowhere(snapshot);
    for (const object of snapshot.objects) {
      if (object.kind !== 'Namespace') continue;
      for (const [key, isRight] of [
        [namespaceKey, (value: string) => understood.has(value)],
        [injectKey, () => false],
      ] as const) {
        const value = object.labels[key];
        if (value === undefined || isRight(value)) continue;
        const message =
          key === injectKey
            ? `label "${key}" is for pods: on a namespace it has no effect`
            : `label "${key}" is "${value}", expected "enabled" or "disabled"`;
        const related = (nowhere.get(object.name) ?? []).map((policy) => ({
          ...{ object: policy, path: ['metadata', 'name'] },
          message: 'a policy that applies to no workload',
        }));
        report({ object, path: ['metadata', 'labels', key], message, related });
      }
    }
  },
};

/** By namespace, those of which no workload has a proxy. */
function policiesInForceNowhere({ policies, topology }: Snapshot): ReadonlyMap<string, readonly MeshObject<string>[]> {
  const proxied = new Map<string, boolean>();
  for (const { namespace, role } of topology.workloads)
    proxied.set(namespace, proxied.get(namespace) === true || role !== 'none');
  const found = new Map<string, MeshObject<string>[]>();
  for (const policy of [
    ...policies.peerAuthentications,
    ...policies.requestAuthentications,
    ...policies.authorizationPolicies,
    ...policies.sidecars,
  ]) {
    if (proxied.get(policy.namespace) === false) append(found, policy.namespace, policy);
  }
  return found;
}
