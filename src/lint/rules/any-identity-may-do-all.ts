import { anyIdentityField } from '../authorization/any-identity.ts';
import { gatewayIdentity } from '../authorization/gateway-identity.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** By such a name the author says that it is meant. */
const saysSo = /(allow|permit)-?(all|any|every)|mtls|mutual|authenticated|any|all-|identit|mesh/i;

/** An ALLOW rule whose only condition is that the client has an identity. */
export const rule: Rule = {
  code: 'any-identity-may-do-all',
  id: 'MP413',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an ALLOW rule that lets every identity of the mesh do everything',
  why: 'every workload of the mesh is let in, also one that an attacker has taken over',
  hint: 'name the identities or namespaces that call the workload, or the operations that are open to all',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path } of allRulesOf(snapshot)) {
      const { from = [], to = [], when = [] } = own;
      if ((policy.spec.action ?? 'ALLOW') !== 'ALLOW' || to.length + when.length > 0 || saysSo.test(policy.name))
        continue;
      for (const [i, { source }] of from.entries()) {
        const field = anyIdentityField(source);
        if (field === undefined) continue;
        // At a gateway the certificates of its clients decide, and these are seldom those of the mesh.
        const atGateway = gatewayIdentity(policy, snapshot);
        if (atGateway !== undefined && atGateway !== 'mesh') continue;
        const message = `"${field}" has "*": every workload of the mesh may send every request`;
        report({ object: policy, path: [...path, 'from', i, 'source', field], part: 'key', message });
      }
    }
  },
};
