import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Rule } from '../rule.ts';
import { meantPort } from '../tls/meant-port.ts';

/** `portLevelMtls` counts ports of the container; clients know those of the service. */
export const rule: Rule = {
  code: 'port-level-of-service-port',
  id: 'MP105',
  severity: 'warning',
  category: 'peer-authentication',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['PeerAuthentication'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'an entry of portLevelMtls with a service port in place of a container port',
  why: 'the entry is ignored, and the port keeps the mode of the rest of the workload',
  hint: 'write the container port (targetPort)',
  outranks: ['port-without-service'],
  fixChanges: 'mutual TLS of ports',
  check({ snapshot, report, skip }) {
    const workloads = workloadsByLabels(snapshot.topology);
    for (const policy of snapshot.policies.peerAuthentications) {
      const ports = Object.keys(policy.spec.portLevelMtls ?? {});
      if (ports.length === 0) continue;
      const selected = workloads.select(policy.namespace, policy.spec.selector?.matchLabels);
      if (selected.length === 0) skip(policy);
      for (const port of ports) {
        const meant = meantPort(port, policy, snapshot);
        if (meant === undefined) continue;
        const path = ['spec', 'portLevelMtls', port];
        const message = `port ${port} is that of service "${meant.service}", whose connections come in on container port ${meant.targetPort}`;
        report({
          ...{ object: policy, path, part: 'key', message, hint: `write ${meant.targetPort}` },
          fix: fixOf(policy, port, meant.targetPort),
        });
      }
    }
  },
};

/** None where the entry of the container port is there already. */
function fixOf(policy: PeerAuthentication, port: string, targetPort: number) {
  if (policy.spec.portLevelMtls?.[targetPort] !== undefined) return undefined;
  const span = policy.document.spanOf(['spec', 'portLevelMtls', port], 'key');
  return { title: `Write ${targetPort}`, edits: [{ span, text: String(targetPort) }] };
}
