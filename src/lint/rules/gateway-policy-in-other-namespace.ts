import type { Workload } from '../../compiler/topology/model.ts';
import { hasLabels, selects } from '../../compiler/topology/selector.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { BoundPolicy } from '../../policy/policy-target.ts';
import type { Rule } from '../rule.ts';

/** A policy selects workloads of its own namespace, and gateways are often in another one than what they serve. */
export const rule: Rule = {
  code: 'gateway-policy-in-other-namespace',
  id: 'MP425',
  severity: 'warning',
  category: 'matching',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy', 'RequestAuthentication'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a policy whose selector has the labels of a gateway in another namespace',
  why: 'a policy selects workloads of its own namespace alone, so it has no effect at the gateway',
  hint: 'move the policy to the namespace of the gateway',
  outranks: ['selector-without-workload', 'policy-in-force-nowhere'],
  check({ snapshot, report }) {
    const { policies, topology, settings } = snapshot;
    const gateways = topology.workloads.filter(({ role }) => role === 'router');
    const workloads = workloadsByLabels(topology);
    for (const object of [...policies.authorizationPolicies, ...policies.requestAuthentications]) {
      const { namespace, spec } = object;
      if (namespace === settings.rootNamespace || !hasLabels(spec.selector)) continue;
      const wanted = spec.selector?.matchLabels ?? {};
      if (workloads.select(namespace, wanted).length > 0) continue;
      const [gateway] = gateways.filter(({ labels }) => selects(wanted, labels));
      if (gateway === undefined || topology.unseenIn.has(namespace)) continue;
      report({
        ...{ object, path: ['spec', 'selector'], part: 'key' },
        ...textsOf(object, gateway),
        related: [{ object: gateway.object, path: ['metadata', 'name'], message: 'the gateway' }],
      });
    }
  },
};

/** A policy that is bound to a Gateway has no selector of its own: the workloads of the Gateway are those with its name. */
function textsOf({ namespace, target }: BoundPolicy<string>, gateway: Workload): { message: string; hint: string } {
  if (target === undefined) {
    return {
      message: `the selector has the labels of gateway "${nameOf(gateway)}", and no workload of namespace "${namespace}" has them`,
      hint: `move the policy to namespace "${gateway.namespace}"`,
    };
  }
  return {
    message: `no workload of namespace "${namespace}" serves Gateway "${target.gateway}"; gateway workload "${nameOf(gateway)}" has its name in a label, and serves Gateways of its own namespace alone`,
    hint: `run the pods of the Gateway in namespace "${namespace}", or move Gateway and policy to namespace "${gateway.namespace}"`,
  };
}

function nameOf({ namespace, name }: Workload): string {
  return `${namespace}/${name}`;
}
