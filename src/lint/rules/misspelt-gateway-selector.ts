import { KnownNames } from '../../lib/known-names.ts';
import type { Rule } from '../rule.ts';

/** A label of which the workloads of the input have almost the same value. */
export const rule: Rule = {
  code: 'misspelt-gateway-selector',
  id: 'MP625',
  peers: ['KIA0302', 'IST0101'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['Gateway'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a Gateway whose selector is spelt almost like a label of the workloads',
  why: 'the selector matches no workload, so no proxy opens the ports of the Gateway',
  hint: 'write the label as the pods of the gateway have it',
  outranks: ['gateway-without-workload'],
  check({ snapshot, report, skip }) {
    const values = new Map<string, KnownNames>();
    for (const [key, value] of snapshot.topology.workloads.flatMap(({ labels }) => Object.entries(labels))) {
      const known = values.get(key) ?? new KnownNames();
      values.set(key, known);
      if (!known.has(value)) known.add(value);
    }
    for (const gateway of snapshot.policies.gateways) {
      for (const [key, value] of Object.entries(gateway.spec.selector ?? {})) {
        if (values.get(key)?.has(value)) continue;
        const meant = values.get(key)?.meantBy(value);
        if (meant === undefined) {
          skip(gateway);
          continue;
        }
        const message = `no workload has "${value}" as the value of this label`;
        report({ object: gateway, path: ['spec', 'selector', key], message, hint: `did you mean "${meant}"?` });
      }
    }
  },
};
