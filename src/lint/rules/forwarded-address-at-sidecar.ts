import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A sidecar believes what the caller says of the client before it. */
export const rule: Rule = {
  code: 'forwarded-address-at-sidecar',
  id: 'MP411',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a sidecar rule about the original client address (remoteIpBlocks, remote.ip)',
  why: 'callers can write any address into X-Forwarded-For, and the rule compares that address',
  hint: 'use "ipBlocks" (or "source.ip") for the address of the connection, or apply the rule to the gateway',
  check({ snapshot, report }) {
    if (snapshot.settings.sidecarUseRemoteAddress) return;
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      if (!workloads.some(({ role }) => role === 'sidecar')) continue;
      for (const at of rulesOf([policy])) {
        const found = placedValues(at, /^((r|notR)emoteIpBlocks|remote\.ip)$/)[0];
        if (found === undefined) continue;
        const message = `"${found.field}" at a sidecar is what the caller writes into X-Forwarded-For`;
        report({ object: policy, path: found.path, message });
      }
    }
  },
};
