import { sortedBy } from '../../lib/sort.ts';
import type { WorkloadEntry } from '../../policy/topology-kinds.ts';
import type { Rule } from '../rule.ts';

/** A copy of an entry in which the address was forgotten. One machine may have entries for several applications. */
export const rule: Rule = {
  code: 'entries-of-one-address',
  id: 'MP650',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['WorkloadEntry'],
  needs: 'policies',
  since: '0.1.0',
  title: 'two WorkloadEntries of one namespace with the same address, labels and ports',
  why: 'services have that machine twice among their endpoints, and the machine that was meant not at all',
  hint: 'write the address of the other machine, or remove one of the two entries',
  check({ snapshot, report }) {
    const firsts = new Map<string, WorkloadEntry>();
    for (const object of snapshot.objects) {
      if (object.kind !== 'WorkloadEntry') continue;
      const entry = object as WorkloadEntry;
      const { address, labels = {}, ports = {}, network = '' } = entry.spec;
      if (address === undefined || Object.keys(labels).length === 0) continue;
      // The path of a Unix socket tells capitals from small letters.
      const place = address.startsWith('unix:') ? address : address.toLowerCase();
      const key = JSON.stringify([entry.namespace, place, sorted(labels), sorted(ports), network]);
      const first = firsts.get(key);
      if (first === undefined) {
        firsts.set(key, entry);
        continue;
      }
      report({
        ...{ object: entry, path: ['spec', 'address'] },
        message: `WorkloadEntry "${first.namespace}/${first.name}" has the address ${address} too, with the same labels and ports`,
        related: [{ object: first, path: ['spec', 'address'], message: 'the other one' }],
      });
    }
  },
};

function sorted(values: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return sortedBy(Object.entries(values), ([key]) => key);
}
