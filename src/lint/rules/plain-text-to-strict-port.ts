import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Rule } from '../rule.ts';
import { clientTlsOf } from '../tls/client-tls.ts';
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
      report({ object: rule, path: [...path, 'mode'], message });
    }
  },
};

function isStrict({ workload, target }: Served, { effective }: Snapshot): boolean {
  if (workload.role === 'none') return false;
  const { mode, ports } = effective.inbound(workload);
  return (ports.get(target.targetPort) ?? mode).value === 'STRICT';
}
