import { boundGateways, gatewayName } from '../../compiler/topology/gateway-name.ts';
import type { Rule } from '../rule.ts';

/** Routes are only in the configuration of the proxies that the object is bound to: a match chooses among these. */
export const rule: Rule = {
  code: 'match-gateway-not-bound',
  id: 'MP647',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a match for a gateway that the VirtualService is not bound to',
  why: 'only proxies of the gateways in "spec.gateways" get the routes, so this match never applies',
  hint: 'add the gateway to "spec.gateways", or remove it from the match',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.virtualServices) {
      const { spec, namespace } = object;
      // Routes that others delegate to have the gateways of those.
      if ((spec.hosts ?? []).length === 0) continue;
      const bound = boundGateways(spec.gateways, namespace);
      for (const kind of ['http', 'tls', 'tcp'] as const) {
        for (const [i, { match = [] }] of (spec[kind] ?? []).entries()) {
          for (const [j, { gateways = [] }] of match.entries()) {
            for (const [k, text] of gateways.entries()) {
              if (bound.includes(gatewayName(text, namespace))) continue;
              const isWhole = gateways.every((other) => !bound.includes(gatewayName(other, namespace)));
              const effect = isWhole ? 'this match never applies' : 'this match does not apply there';
              report({
                ...{ object, path: ['spec', kind, i, 'match', j, 'gateways', k] },
                message: `"${text}" is not in "spec.gateways", ${spec.gateways?.length ? `which has ${bound.map((name) => `"${name}"`).join(', ')}` : 'without which routes are for sidecars alone'}: ${effect}`,
                hint: text === 'mesh' ? hintOfMesh : undefined,
              });
            }
          }
        }
      }
    }
  },
};

const hintOfMesh = 'to have the route in sidecars too, add "mesh" to "spec.gateways"; else remove it from the match';
