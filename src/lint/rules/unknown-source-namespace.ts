import { KnownNames } from '../../lib/known-names.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { sourceValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A namespace that the input does not have, while it has one of almost the same name. */
export const rule: Rule = {
  code: 'unknown-source-namespace',
  id: 'MP314',
  peers: ['KIA0101', 'IST0101'],
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a source namespace that does not exist, spelt almost like one that does',
  why: 'no client is in that namespace, so the value matches nobody, and among exceptions it exempts nobody',
  hint: 'write the name of a namespace of the mesh, or add its Namespace object to the input',
  check({ snapshot, report, skip }) {
    const namespaces = new KnownNames(snapshot.topology.namespaces.keys());
    for (const { policy, field, value: text, path } of sourceValues(
      snapshot,
      ...(['namespaces', 'notNamespaces', 'principals', 'notPrincipals'] as const),
    )) {
      const value = /rincipals$/.test(field) ? namespaceOf(text) : text;
      if (value === undefined) continue;
      if (value.includes('*') || namespaces.has(value) || value === snapshot.settings.rootNamespace) continue;
      // The input may leave a namespace out; that it has almost the same one tells of a slip.
      const meant = namespaces.meantBy(value);
      if (meant === undefined) {
        skip(policy);
        continue;
      }
      report({
        ...{ object: policy, path, message: `"${field}" names "${value}", and the input has no such namespace` },
        why: whyIdle(policy, field.startsWith('not'), 'no client is in that namespace'),
        hint: `did you mean "${meant}"?`,
      });
    }
  },
};

/** Of a principal that names one whole: `<trust domain>/ns/<namespace>/sa/<service account>`. */
function namespaceOf(principal: string): string | undefined {
  return /^[^/]+\/ns\/([^/*]+)\/sa\//.exec(principal)?.[1];
}
