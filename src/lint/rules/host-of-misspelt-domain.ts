import { destinationsOf } from '../../compiler/topology/destinations.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { nearest } from '../../lib/nearest.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Rule } from '../rule.ts';

/** A host of the cluster, by its `.svc.`, whose domain is almost the cluster's. */
export const rule: Rule = {
  code: 'host-of-misspelt-domain',
  id: 'MP620',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule', 'VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a host name whose domain is spelt almost like that of the cluster',
  why: 'no service has that name: a rule applies to nothing, and a route leads nowhere',
  hint: 'correct the domain: <service>.<namespace>.svc.<cluster domain>',
  outranks: ['unknown-host', 'unknown-destination', 'host-without-service'],
  check({ snapshot, report }) {
    const { clusterDomain } = snapshot.settings;
    const check = (object: MeshObject<string>, path: JsonPath, host: string): void => {
      const [, domain] = /^[^.]+\.[^.]+\.svc\.(.+)$/.exec(host.toLowerCase()) ?? [];
      if (domain === undefined || domain === clusterDomain || nearest(domain, [clusterDomain]) === undefined) return;
      const message = `the host "${host}" ends in "${domain}", and the domain of the cluster is "${clusterDomain}"`;
      report({ object, path, message, hint: `did you mean "${host.slice(0, -domain.length)}${clusterDomain}"?` });
    };
    for (const rule of snapshot.policies.destinationRules) check(rule, ['spec', 'host'], rule.spec.host);
    for (const object of snapshot.policies.virtualServices) {
      for (const [i, host] of (object.spec.hosts ?? []).entries()) check(object, ['spec', 'hosts', i], host);
      for (const { destination, path } of destinationsOf(object)) check(object, [...path, 'host'], destination.host);
    }
  },
};
