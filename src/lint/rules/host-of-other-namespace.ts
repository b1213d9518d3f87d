import { append } from '../../lib/append.ts';
import type { Rule } from '../rule.ts';

/** A short name stands for a service beside the rule, and the service is elsewhere. */
export const rule: Rule = {
  code: 'host-of-other-namespace',
  id: 'MP207',
  severity: 'warning',
  category: 'client-tls',
  direction: 'none',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a short host name whose service is in another namespace',
  why: 'a name without a dot means a service in the namespace of the DestinationRule, so the rule applies to no service',
  hint: 'write the full name of the service',
  outranks: ['unknown-host'],
  check({ snapshot, report }) {
    const namespacesOf = new Map<string, string[]>();
    for (const { kind, name, namespace } of snapshot.topology.services) {
      if (kind === 'Service') append(namespacesOf, name, namespace);
    }
    for (const rule of snapshot.policies.destinationRules) {
      const name = rule.spec.host.toLowerCase();
      const [namespace, ...others] = namespacesOf.get(name) ?? [];
      if (namespace === undefined || namespace === rule.namespace || others.length > 0) continue;
      report({
        ...{ object: rule, path: ['spec', 'host'] },
        message: `host "${rule.spec.host}" stands for a service of namespace "${rule.namespace}", which has none of that name`,
        hint: `write "${name}.${namespace}.svc.${snapshot.settings.clusterDomain}" if that service is meant`,
      });
    }
  },
};
