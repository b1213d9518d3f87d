import { gatewayName } from '../../compiler/topology/gateway-name.ts';
import { append } from '../../lib/append.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { Rule } from '../rule.ts';

/** A name without a namespace is looked for beside the VirtualService, and the Gateway is elsewhere. */
export const rule: Rule = {
  code: 'gateway-of-other-namespace',
  id: 'MP621',
  peers: ['IST0101', 'KIA1102'],
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a Gateway named without its namespace',
  why: 'the routes are bound to no Gateway, so the one that is meant answers 404 for these hosts, or closes the connection',
  hint: 'write <namespace>/<name>',
  outranks: ['unknown-gateway'],
  check({ snapshot, report, skip }) {
    const byName = new Map<string, Gateway[]>();
    for (const gateway of snapshot.policies.gateways) append(byName, gateway.name, gateway);
    for (const object of snapshot.policies.virtualServices) {
      for (const [i, text] of (object.spec.gateways ?? []).entries()) {
        const [namespace, name = ''] = gatewayName(text, object.namespace).split('/');
        if (text === 'mesh' || namespace !== object.namespace) continue;
        const named = byName.get(name) ?? [];
        if (named.some((gateway) => gateway.namespace === namespace)) continue;
        const [meant] = named;
        if (meant === undefined) {
          skip(object);
          continue;
        }
        report({
          ...{ object, path: ['spec', 'gateways', i] },
          message: `"${text}" stands for a Gateway of namespace "${namespace}", which has none of that name`,
          hint: `write "${meant.namespace}/${name}" if that Gateway is meant`,
          related: [{ object: meant, path: ['metadata', 'name'], message: 'a Gateway of that name' }],
        });
      }
    }
  },
};
