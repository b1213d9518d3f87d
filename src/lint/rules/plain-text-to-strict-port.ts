import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
import { meantPort } from '../tls/meant-port.ts';
import { rulesAlone, type Served, servedFor } from '../tls/served-ports.ts';

/** The client is told to send plain text where every server takes mutual TLS alone. */
export const rule: Rule = {
  code: 'plain-text-to-strict-port',
  id: 'MP201',
  peers: ['KIA0207', 'KIA0208'],
  severity: 'warning',
  category: 'client-tls',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['DestinationRule'],
  needs: 'topology',
  since: '0.1.0',
  title: 'plain text towards a port that accepts only mutual TLS',
  why: 'the server closes every connection without mutual TLS, so every call fails',
  hint: 'remove "tls", so that clients choose automatically, or make the port PERMISSIVE',
  check({ snapshot, report, skip }) {
    for (const { rule, tls, path, isForPort } of clientTlsOf(rulesAlone(snapshot))) {
      if (tls.mode !== 'DISABLE') continue;
      const served = servedFor(rule, snapshot).filter(({ target }) => isForPort(target.port.number));
      if (served.length === 0) skip(rule);
      if (served.length === 0 || !served.every((it) => isStrict(it, snapshot))) continue;
      const host = served[0]?.target.service.host;
      const message = `mode DISABLE sends plain text to "${host}", whose workloads accept only mutual TLS`;
      report({ object: rule, path: [...path, 'mode'], message, hint: hintOf(served, snapshot) });
    }
  },
};

function isStrict({ workload, target }: Served, { effective }: Snapshot): boolean {
  if (workload.role === 'none') return false;
  const { mode, ports } = effective.inbound(workload);
  return (ports.get(target.targetPort) ?? mode).value === 'STRICT';
}

/** Where an exception from STRICT names the service port, that one is to be corrected, and this rule is right. */
function hintOf(served: readonly Served[], snapshot: Snapshot): string | undefined {
  for (const policy of snapshot.policies.peerAuthentications) {
    for (const [port, { mode }] of Object.entries(policy.spec.portLevelMtls ?? {})) {
      if (mode === 'STRICT' || !served.some(({ target }) => String(target.port.number) === port)) continue;
      const meant = meantPort(port, policy, snapshot);
      if (meant === undefined || !served.some((it) => isMeant(it, policy.namespace, meant.targetPort))) continue;
      return `if the exception for port ${port} in PeerAuthentication "${policy.name}" is meant, write ${meant.targetPort} there: then this rule is right; else remove "tls"`;
    }
  }
  return undefined;
}

function isMeant({ workload, target }: Served, namespace: string, targetPort: number): boolean {
  return workload.namespace === namespace && target.targetPort === targetPort;
}
