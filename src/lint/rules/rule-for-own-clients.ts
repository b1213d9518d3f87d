import { isPrivate } from '../../compiler/topology/visibility.ts';
import type { Rule } from '../rule.ts';
import { hostOf } from '../tls/served-ports.ts';

/** Clients look for rules in their own namespace, in that of the service, and in the root namespace: nowhere else. */
export const rule: Rule = {
  code: 'rule-for-own-clients',
  id: 'MP652',
  severity: 'info',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['DestinationRule'],
  needs: 'policies',
  since: '0.1.0',
  title:
    'a DestinationRule in a namespace that is neither that of its service nor the root namespace, exported to others',
  why: 'clients of other namespaces do not use it, whatever "exportTo" says',
  hint: 'move it to the namespace of the service if it is meant for all clients; if not, write exportTo: ["."]',
  check({ snapshot, report }) {
    const { policies, settings, topology } = snapshot;
    const suffix = `.svc.${settings.clusterDomain}`;
    const withRules = new Set(policies.destinationRules.map((rule) => `${rule.namespace} ${hostOf(rule, snapshot)}`));
    const ofGateways = new Set(
      topology.workloads.flatMap(({ role, namespace }) => (role === 'router' ? [namespace] : [])),
    );
    for (const rule of policies.destinationRules) {
      const { namespace, spec } = rule;
      const host = hostOf(rule, snapshot);
      const [owner, ...more] = host.endsWith(suffix) ? host.slice(0, -suffix.length).split('.').slice(1) : [];
      if (owner === undefined || more.length > 0 || owner === namespace || namespace === settings.rootNamespace)
        continue;
      const exportTo = spec.exportTo?.length ? spec.exportTo : settings.defaultDestinationRuleExportTo;
      if (isPrivate(exportTo, namespace) || spec.workloadSelector !== undefined) continue;
      // Beside a rule of the service it is an exception, and beside a gateway it is meant for that.
      if (withRules.has(`${owner} ${host}`) || ofGateways.has(namespace)) continue;
      const message = `only clients of namespace "${namespace}" use this rule: the service is of namespace "${owner}"`;
      report({ object: rule, path: ['spec', 'host'], message });
    }
  },
};
