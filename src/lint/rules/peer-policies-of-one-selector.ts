import { hasLabels } from '../../compiler/topology/selector.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Rule } from '../rule.ts';
import { bySelector } from '../tokens/meeting.ts';

/** Two objects that select the same are never combined. */
export const rule: Rule = {
  code: 'peer-policies-of-one-selector',
  id: 'MP116',
  severity: 'warning',
  category: 'peer-authentication',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['PeerAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'two PeerAuthentications with the same selector and different modes',
  why: 'only one of them is in force, so a workload may accept plain text that the other one refuses',
  hint: 'keep only one object for a selector, with the mode that is meant',
  outranks: ['competing-workload-policies'],
  check({ snapshot, report }) {
    for (const group of bySelector(snapshot.policies.peerAuthentications).values()) {
      const [kept, ...ignored] = sortedBy(group, ({ createdAt }) => createdAt, nameOf);
      if (kept === undefined || ignored.length === 0 || !hasLabels(kept.spec.selector)) continue;
      for (const object of ignored) {
        if (modesOf(object) === modesOf(kept)) continue;
        const age =
          object.createdAt === kept.createdAt
            ? 'if they have the same age (its "name.namespace" sorts first)'
            : 'because it is older';
        report({
          ...{ object, path: ['metadata', 'name'] },
          message: `"${kept.namespace}/${kept.name}" selects the same workloads and takes precedence ${age}`,
          related: [{ object: kept, path: ['metadata', 'name'], message: 'the one that applies' }],
        });
      }
    }
  },
};

function nameOf({ namespace, name }: PeerAuthentication): string {
  return `${name}.${namespace}`;
}

function modesOf({ spec: { mtls, portLevelMtls = {} } }: PeerAuthentication): string {
  return JSON.stringify([mtls?.mode, Object.entries(portLevelMtls).sort()]);
}
