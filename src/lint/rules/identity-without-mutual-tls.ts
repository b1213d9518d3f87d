import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

const isIdentity = /^(principals|namespaces|serviceAccounts|trustDomains|source\.(principal|namespace))$/;

/** Identities come from client certificates, which a workload of mode DISABLE never sees. */
export const rule: Rule = {
  code: 'identity-without-mutual-tls',
  id: 'MP311',
  peers: ['KIA0105'],
  severity: 'warning',
  category: 'authorization',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a rule about identities where mutual TLS is switched off',
  why: 'clients without a certificate have no identity, so the condition matches no client: an ALLOW rule lets nobody in, and a DENY rule denies nobody',
  hint: 'set mode STRICT in a PeerAuthentication for the workload',
  check({ snapshot, report }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const plain = workloads.filter((workload) => workload.role === 'sidecar' && isPlain(snapshot, workload));
      const [first] = plain;
      if (first === undefined || plain.length < workloads.length) continue;
      for (const at of rulesOf([policy])) {
        const found = placedValues(at, isIdentity).find(({ isNegated }) => !isNegated);
        if (found === undefined) continue;
        const message = `"${found.field}" matches nobody at "${first.namespace}/${first.name}", where mutual TLS is switched off`;
        report({ object: policy, path: found.path, message });
      }
    }
  },
};

function isPlain({ effective }: Snapshot, workload: Workload): boolean {
  const { mode, ports } = effective.inbound(workload);
  return [mode, ...ports.values()].every(({ value }) => value === 'DISABLE');
}
