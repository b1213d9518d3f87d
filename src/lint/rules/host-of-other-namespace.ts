import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { resolveShortName } from '../../compiler/topology/host.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import { append } from '../../lib/append.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Rule } from '../rule.ts';

/** A short name stands for a service beside the rule, and the service is elsewhere. */
export const rule: Rule = {
  code: 'host-of-other-namespace',
  id: 'MP207',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule', 'VirtualService'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a short host name whose service is in another namespace',
  why: 'a name without a dot means a service in the namespace of the object: a rule applies to no service, and a route leads to none',
  hint: 'write the full name of the service',
  outranks: ['unknown-host', 'unknown-destination'],
  check({ snapshot, report }) {
    const namespacesOf = new Map<string, string[]>();
    for (const { kind, name, namespace } of snapshot.topology.services) {
      if (kind === 'Service') append(namespacesOf, name, namespace);
    }
    const { clusterDomain, rootNamespace } = snapshot.settings;
    // A rule is looked up in the namespace of the client, in that of the service and in the root namespace.
    const hintFor = (object: MeshObject<string>, namespace: string, full: string): string =>
      object.kind === 'VirtualService' || object.namespace === rootNamespace
        ? `write "${full}" if that service is meant`
        : `move the rule to namespace "${namespace}" if that service is meant; with "${full}" it applies here to the clients of namespace "${object.namespace}" alone`;
    const aliases = new Set(
      snapshot.topology.services.flatMap((service) => service.aliases.map((alias) => alias.host)),
    );
    const check = (object: MeshObject<string>, path: JsonPath, host: string): void => {
      const name = host.toLowerCase();
      const [namespace, ...others] = namespacesOf.get(name) ?? [];
      if (namespace === undefined || namespace === object.namespace || others.length > 0) return;
      if (aliases.has(resolveShortName(name, object.namespace, clusterDomain))) return;
      report({
        ...{ object, path: [...path, 'host'] },
        message: `host "${host}" stands for a service of namespace "${object.namespace}", which has none of that name`,
        hint: hintFor(object, namespace, `${name}.${namespace}.svc.${clusterDomain}`),
      });
    };
    for (const rule of snapshot.policies.destinationRules) check(rule, ['spec'], rule.spec.host);
    for (const object of snapshot.policies.virtualServices) {
      for (const { destination, path } of destinationsOf(object)) check(object, path, destination.host);
    }
  },
};
