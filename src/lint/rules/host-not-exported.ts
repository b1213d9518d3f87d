import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { Service } from '../../compiler/topology/model.ts';
import { isVisible } from '../../compiler/topology/visibility.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { append } from '../../lib/append.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Rule } from '../rule.ts';

/** A host that is there, and that the namespace of a route or rule does not see. */
export const rule: Rule = {
  code: 'host-not-exported',
  id: 'MP631',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule', 'VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a route or a rule of a namespace to which its host is not exported',
  why: 'for the clients of the namespace there is no such host: a route leads nowhere, and a rule applies to nothing',
  hint: 'add the namespace to "exportTo" of the host, or move the object to the namespace of the host',
  outranks: ['unknown-host', 'unknown-destination'],
  check({ snapshot, report }) {
    const byHost = new Map<string, Service[]>();
    for (const service of snapshot.topology.services) append(byHost, service.host, service);
    const check = (object: MeshObject<string>, path: JsonPath, host: string): void => {
      const services = byHost.get(resolveShortName(host, object.namespace, snapshot.settings.clusterDomain)) ?? [];
      const [first] = services;
      if (first === undefined) return;
      if (services.some(({ exportTo, namespace }) => isVisible(exportTo, namespace, object.namespace))) return;
      report({
        ...{ object, path: [...path, 'host'] },
        message: `"${first.host}" of namespace "${first.namespace}" is not exported to namespace "${object.namespace}"`,
        related: [{ object: first.object, path: ['metadata', 'name'], message: 'the host' }],
      });
    };
    for (const rule of snapshot.policies.destinationRules) {
      // A rule of the root namespace is for the clients of all others.
      if (rule.namespace !== snapshot.settings.rootNamespace) check(rule, ['spec'], rule.spec.host);
    }
    for (const object of snapshot.policies.virtualServices) {
      // Of routes for gateways alone the clients are the gateways, which may run anywhere.
      if (object.spec.gateways?.includes('mesh') === false) continue;
      for (const { destination, path } of destinationsOf(object)) check(object, path, destination.host);
    }
  },
};
