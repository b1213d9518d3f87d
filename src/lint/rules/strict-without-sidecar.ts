import { hasLabels } from '../../compiler/topology/selector.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { Rule } from '../rule.ts';
import { proxiedNamespaces } from '../tls/proxied-namespaces.ts';

/** Nobody is there who would refuse plain text. */
export const rule: Rule = {
  code: 'strict-without-sidecar',
  id: 'MP112',
  severity: 'warning',
  category: 'peer-authentication',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['PeerAuthentication'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'mode STRICT for workloads without a sidecar',
  why: 'only a proxy can refuse plain text: these workloads accept every connection, as if there were no policy',
  hint: 'give the workloads sidecars, or correct the selector',
  check({ snapshot, report, skip }) {
    const workloads = workloadsByLabels(snapshot.topology);
    const proxied = proxiedNamespaces(snapshot);
    for (const policy of snapshot.policies.peerAuthentications) {
      const { selector, mtls } = policy.spec;
      if (mtls?.mode !== 'STRICT' || !hasLabels(selector)) continue;
      const selected = workloads.select(policy.namespace, selector?.matchLabels);
      const [first] = selected;
      if (first === undefined || !proxied.has(policy.namespace)) {
        skip(policy);
        continue;
      }
      if (selected.some(({ role }) => role !== 'none')) continue;
      report({
        ...{ object: policy, path: ['spec', 'mtls', 'mode'] },
        message: 'mode STRICT is enforced by sidecars, and no workload of this policy has one',
        related: [{ object: first.object, path: ['metadata', 'name'], message: 'a workload without a sidecar' }],
      });
    }
  },
};
