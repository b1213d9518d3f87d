import { whyIdle } from '../authorization/idle-value.ts';
import { operationValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** The name of a service alone, where requests name a method of it. */
export const rule: Rule = {
  code: 'grpc-path-without-method',
  id: 'MP415',
  severity: 'warning',
  category: 'matching',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'the path of a gRPC service without a method',
  why: 'the path of a gRPC request is "/<package>.<Service>/<Method>": in "paths" this value matches no request, and in "notPaths" it exempts none',
  hint: 'add the method, or "/*" for every method',
  check({ snapshot, report }) {
    for (const at of operationValues(snapshot, 'paths', 'notPaths')) {
      const { policy, rule: own, field, value, path } = at;
      if (!/^\/([a-z][a-z0-9_]*\.)+[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\/?$/.test(value)) continue;
      const every = `${value.replace(/\/$/, '')}/*`;
      if (own.to?.some(({ operation }) => operation[field]?.includes(every))) continue;
      const message = `"${value}" looks like the name of a gRPC service, and the path of a request has a method after it`;
      const why = whyIdle(
        policy,
        field === 'notPaths',
        'the path of a gRPC request is "/<package>.<Service>/<Method>"',
      );
      report({ object: policy, path, message, why, hint: `write "${every}", or name the method in place of the star` });
    }
  },
};
