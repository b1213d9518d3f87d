import { GrpcPorts } from '../authorization/grpc-ports.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Each call of gRPC is a POST request. */
export const rule: Rule = {
  code: 'method-of-no-grpc-call',
  id: 'MP424',
  severity: 'warning',
  category: 'matching',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a rule for ports of gRPC that does not name the method POST',
  why: 'each call of gRPC is a POST request: an ALLOW rule with other methods lets no call in, and a DENY rule denies none',
  hint: 'write "POST", or leave "methods" out',
  check({ snapshot, report }) {
    const grpc = new GrpcPorts(snapshot);
    for (const policy of snapshot.policies.authorizationPolicies) {
      for (const { rule: own, path } of rulesOf([policy])) {
        for (const [i, { operation }] of (own.to ?? []).entries()) {
          const { methods = [] } = operation;
          const [first] = methods;
          if (first === undefined || methods.some(mayBePost)) continue;
          const port = grpc.onlyOf(policy, operation);
          if (port === undefined) continue;
          report({
            ...{ object: policy, path: [...path, 'to', i, 'operation', 'methods', 0] },
            message: `no call of gRPC has the method "${first}", and port ${port} is declared as gRPC`,
            why: whyIdle(policy, false, 'each call of gRPC is a POST request'),
          });
        }
      }
    }
  },
};

/** Of a method in the wrong case another rule tells. */
function mayBePost(method: string): boolean {
  return method.includes('*') || method.toUpperCase() === 'POST';
}
