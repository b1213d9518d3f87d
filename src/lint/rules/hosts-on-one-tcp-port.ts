import type { Service, ServicePort } from '../../compiler/topology/model.ts';
import { areSeenTogether } from '../../compiler/topology/visibility.ts';
import { append } from '../../lib/append.ts';
import type { Rule } from '../rule.ts';

/** What is no HTTP has no host, and without TLS no server name: only the address tells one service from another. */
export const rule: Rule = {
  code: 'hosts-on-one-tcp-port',
  id: 'MP644',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['ServiceEntry'],
  needs: 'policies',
  since: '0.1.0',
  title: 'TCP hosts of ServiceEntries with one port and without addresses',
  why: 'proxies cannot tell the connections of the two apart: those of both hosts go to the one that takes precedence',
  hint: 'give the hosts ports of their own, or list in "addresses" the addresses by which clients call each',
  outranks: ['conflicting-outbound-listener'],
  check({ snapshot, report }) {
    const claims = new Map<number, { readonly service: Service; readonly port: ServicePort }[]>();
    for (const service of snapshot.topology.services) {
      if (service.kind !== 'ServiceEntry' || service.addresses.length > 0 || service.lostAddresses !== undefined)
        continue;
      for (const port of service.ports) {
        if (opaque.has(port.protocol)) append(claims, port.number, { service, port });
      }
    }
    for (const rivals of claims.values()) {
      const sorted = [...rivals].sort((a, b) => a.service.createdAt - b.service.createdAt);
      for (const [i, { service, port }] of sorted.entries()) {
        const first = sorted
          .slice(0, Math.min(i, mostCompared))
          .find((it) => areApart(it.service, service) && areSeenTogether(it.service, service));
        if (first === undefined) continue;
        report({
          ...{ object: port.declaredBy?.object ?? service.object, path: ['spec', 'ports'], part: 'key' },
          message: `TCP port ${port.number} of "${service.host}" is that of "${first.service.host}" too, and neither has an address`,
          related: [
            {
              object: first.port.declaredBy?.object ?? first.service.object,
              path: ['spec', 'ports'],
              part: 'key',
              message: 'the ports of the other one',
            },
          ],
        });
      }
    }
  },
};

/** Further ones are told of by the first few. */
const mostCompared = 20;

/** Protocols that tell a proxy nothing of the host. */
const opaque: ReadonlySet<string> = new Set(['tcp', 'mongo', 'mysql', 'redis']);

/** Connections to both of two hosts that are reached where the client wanted to go do arrive there. */
function areApart(a: Service, b: Service): boolean {
  return a.host !== b.host && (a.resolution !== 'passthrough' || b.resolution !== 'passthrough');
}
