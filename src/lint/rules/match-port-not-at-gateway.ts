import { boundGateways } from '../../compiler/topology/gateway-name.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { Rule } from '../rule.ts';

/** The port of a match is compared with that of the listener. */
export const rule: Rule = {
  code: 'match-port-not-at-gateway',
  id: 'MP638',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a match for a port that no server of the Gateway has',
  why: 'no connection of the Gateway comes in on that port, so the route never matches',
  hint: 'write the number of a port of the Gateway, or add a server for it',
  check({ snapshot, report }) {
    const gateways = new Map(snapshot.policies.gateways.map((it) => [`${it.namespace}/${it.name}`, it]));
    for (const object of snapshot.policies.virtualServices) {
      for (const kind of ['http', 'tls', 'tcp'] as const) {
        for (const [i, { match = [] }] of (object.spec[kind] ?? []).entries()) {
          for (const [j, { port, gateways: own }] of match.entries()) {
            if (port === undefined) continue;
            const bound = boundGateways(own ?? object.spec.gateways, object.namespace).map((name) =>
              gateways.get(name),
            );
            // Of the sidecars, and of a Gateway that the input has not, the ports are others.
            if (!bound.every((gateway) => gateway !== undefined)) continue;
            const ports = [...new Set(bound.flatMap(portsOf))];
            if (ports.includes(port)) continue;
            report({
              ...{ object, path: ['spec', kind, i, 'match', j, 'port'] },
              message: `no server of ${bound.map(({ name }) => `"${name}"`).join(', ')} has port ${port}: there is ${ports.join(', ')}`,
              related: bound.map((gateway) => ({
                object: gateway,
                path: ['spec', 'servers'],
                part: 'key',
                message: 'the servers',
              })),
            });
          }
        }
      }
    }
  },
};

function portsOf({ spec }: Gateway): readonly number[] {
  return spec.servers.map(({ port }) => port.number);
}
