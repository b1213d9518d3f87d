import { destinationsOf } from '../../compiler/topology/destinations.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { namesByNamespace } from '../../lib/known-names.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Rule } from '../rule.ts';

/** Names without a dot are completed by the namespace and the domain; all others are taken as they are. */
export const rule: Rule = {
  code: 'partial-service-host',
  id: 'MP629',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['DestinationRule', 'VirtualService'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a host that names a service and its namespace without the domain of the cluster',
  why: 'a name that contains a dot is not completed, so no service has it: a rule applies to nothing, and a route leads nowhere',
  hint: 'write the full name, <service>.<namespace>.svc.<cluster domain>',
  outranks: ['unknown-host', 'unknown-destination', 'host-without-service'],
  check({ snapshot, report }) {
    const { topology, policies, settings } = snapshot;
    const hosts = new Set(topology.services.flatMap(({ host, aliases }) => [host, ...aliases.map((it) => it.host)]));
    const names = namesByNamespace(topology.services.filter(({ kind }) => kind === 'Service'));
    const check = (object: MeshObject<string>, path: JsonPath, host: string): void => {
      const [, name = '', namespace = ''] = /^([^.*]+)\.([^.]+)(?:\.svc)?$/.exec(host.toLowerCase()) ?? [];
      if (names.get(namespace)?.has(name) !== true || hosts.has(host.toLowerCase())) return;
      const full = [name, namespace, 'svc', settings.clusterDomain].join('.');
      const message = `"${host}" is not the full name of service "${namespace}/${name}"`;
      report({ object, path, message, hint: `write "${full}"` });
    };
    for (const rule of policies.destinationRules) check(rule, ['spec', 'host'], rule.spec.host);
    for (const object of policies.virtualServices) {
      for (const { destination, path } of destinationsOf(object)) check(object, [...path, 'host'], destination.host);
    }
  },
};
