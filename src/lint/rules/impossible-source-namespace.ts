import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Names of namespaces are DNS labels (RFC 1123): the cluster refuses all others. */
export const rule: Rule = {
  code: 'impossible-source-namespace',
  id: 'MP324',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a source namespace with characters that no namespace has',
  why: 'no client is in that namespace, so the condition matches nobody: an ALLOW rule lets nobody in by it, and a DENY rule denies nobody',
  hint: 'write the name of the namespace alone: lower-case letters, digits and "-"',
  outranks: ['unknown-source-namespace'],
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      for (const { value, path, isNegated } of placedValues(at, /^((n|notN)amespaces|source\.namespace)$/)) {
        const [wrong] = /[^a-z0-9-]/.exec(value.replaceAll(/^\*|\*$/g, '')) ?? [];
        if (wrong === undefined) continue;
        const meant = /^(?:[^/]*\/)*([a-z0-9-]+)$/.exec(value.toLowerCase())?.[1];
        const message = `"${value}" is the name of no namespace: names have no "${wrong}"`;
        const why = whyIdle(at.policy, isNegated, 'no client is in that namespace');
        report({ object: at.policy, path, message, why, hint: meant && `write "${meant}"` });
      }
    }
  },
};
