import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { isEnforced } from '../authorization/enforced.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

const isIdentity = /^(principals|namespaces|serviceAccounts|trustDomains|source\.(principal|namespace))$/;

/** Who sends plain text has no identity, and a rule that denies identities does not match it. */
export const rule: Rule = {
  code: 'denied-identity-beside-plain-text',
  id: 'MP114',
  peers: ['KIA0105'],
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a DENY rule about identities where plain text is accepted',
  why: 'a client that sends plain text has no identity, so the rule does not deny it: the denied client only has to leave out its certificate',
  hint: 'set mode STRICT in a PeerAuthentication for the workload, which then refuses clients without a sidecar',
  check({ snapshot, report, skip }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      if (policy.spec.action !== 'DENY' || !isEnforced(policy)) continue;
      const permissive = workloads.filter(
        (workload) => workload.role === 'sidecar' && mode(snapshot, workload) === 'PERMISSIVE',
      );
      for (const at of rulesOf([policy])) {
        const found = placedValues(at, isIdentity).find(({ isNegated }) => !isNegated);
        if (found === undefined) continue;
        const open = permissive.find((workload) => isWritten(snapshot, workload));
        // Without a policy that says PERMISSIVE, the one that says STRICT may be in another file.
        if (open === undefined && permissive.length > 0) skip(policy);
        if (open === undefined) continue;
        const message = `"${found.field}" denies no client that sends plain text, which "${open.namespace}/${open.name}" accepts`;
        report({ object: policy, path: found.path, message });
      }
    }
  },
};

function mode({ effective }: Snapshot, workload: Workload): string {
  return effective.inbound(workload).mode.value;
}

function isWritten({ effective }: Snapshot, workload: Workload): boolean {
  return effective.inbound(workload).mode.origins.decidedBy.length > 0;
}
