import { gatewayName } from '../../compiler/topology/gateway-name.ts';
import { namesByNamespace } from '../../lib/known-names.ts';
import type { Rule } from '../rule.ts';

/** The Gateway that is meant is in the input, under almost the same name. */
export const rule: Rule = {
  code: 'misspelt-gateway',
  id: 'MP646',
  peers: ['IST0101', 'KIA1102'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a Gateway whose name is spelt almost like one of that namespace',
  why: 'the routes are bound to no Gateway, so the one that is meant answers 404 for these hosts, or closes the connection',
  hint: 'write the name of the Gateway',
  outranks: ['unknown-gateway'],
  check({ snapshot, report }) {
    const { virtualServices } = snapshot.policies;
    // Those that stand for listeners of the Gateway API have names that nobody can write.
    const gateways = snapshot.policies.gateways.filter(({ standard }) => standard === undefined);
    const known = namesByNamespace(gateways);
    for (const object of virtualServices) {
      for (const [i, text] of (object.spec.gateways ?? []).entries()) {
        if (text === 'mesh') continue;
        const [namespace = '', name = ''] = gatewayName(text, object.namespace).split('/');
        const names = known.get(namespace);
        const meant = names?.has(name) ? undefined : names?.meantBy(name);
        const gateway = gateways.find((it) => it.namespace === namespace && it.name === meant);
        if (meant === undefined || gateway === undefined) continue;
        report({
          ...{ object, path: ['spec', 'gateways', i] },
          message: `namespace "${namespace}" has no Gateway "${name}", and has one with almost that name`,
          hint: `did you mean "${text.includes('/') ? `${namespace}/${meant}` : meant}"?`,
          related: [{ object: gateway, path: ['metadata', 'name'], message: 'the Gateway of almost that name' }],
        });
      }
    }
  },
};
