import { destinationsOf } from '../../compiler/topology/destinations.ts';
import { KnownNames, namesByNamespace } from '../../lib/known-names.ts';
import type { Rule } from '../rule.ts';

/** A namespace without services, while one of almost the same name has the service. */
export const rule: Rule = {
  code: 'destination-of-misspelt-namespace',
  id: 'MP622',
  peers: ['IST0101', 'KIA1101'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a destination whose namespace is spelt almost like that of the service',
  why: 'no service has that host, so requests that are routed there get 503',
  hint: 'write the namespace of the service',
  outranks: ['unknown-destination'],
  check({ snapshot, report, skip }) {
    const { policies, topology, settings } = snapshot;
    const names = namesByNamespace(topology.services.filter(({ kind }) => kind === 'Service'));
    const namespaces = new KnownNames(names.keys());
    for (const object of policies.virtualServices) {
      for (const { destination, path } of destinationsOf(object)) {
        const [name = '', namespace = '', ...rest] = destination.host.toLowerCase().split('.');
        if (rest.join('.') !== `svc.${settings.clusterDomain}` || topology.namespaces.has(namespace)) continue;
        const meant = namespaces.meantBy(namespace);
        if (meant === undefined || names.get(meant)?.has(name) !== true) {
          skip(object);
          continue;
        }
        const host = [name, meant, 'svc', settings.clusterDomain].join('.');
        const message = `no service has the host "${destination.host}": the input has no namespace "${namespace}"`;
        report({ object, path: [...path, 'host'], message, hint: `did you mean "${host}"?` });
      }
    }
  },
};
