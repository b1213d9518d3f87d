import { nearest } from '../../lib/nearest.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { operationValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** RFC 9110, section 9.3, and RFC 5789. */
const usual: readonly string[] = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'];

/** Methods of WebDAV and its relatives, of caches and of subscriptions, that a rule may well name. */
const unusual = new RegExp(
  `^(${[
    'ACL|BASELINE-CONTROL|BIND|CHECKIN|CHECKOUT|COPY|LABEL|LINK|LOCK|MERGE|MKACTIVITY|MKCALENDAR|MKCOL|MKREDIRECTREF',
    'MKWORKSPACE|MOVE|NOTIFY|ORDERPATCH|PRI|PROPFIND|PROPPATCH|PURGE|QUERY|REBIND|REPORT|SEARCH|SUBSCRIBE|UNBIND|UNCHECKOUT',
    'UNLINK|UNLOCK|UNSUBSCRIBE|UPDATEREDIRECTREF|VERSION-CONTROL',
  ].join('|')})$`,
);

/** Verbs of access control elsewhere, and the methods that stand for them in HTTP. */
const verbs: Readonly<Record<string, string>> = {
  ALL: 'leave "methods" out for all methods',
  ANY: 'leave "methods" out for all methods',
  CREATE: 'write "POST" (or "PUT")',
  EDIT: 'write "PUT" or "PATCH"',
  LIST: 'write "GET"',
  READ: 'write "GET"',
  REMOVE: 'write "DELETE"',
  UPDATE: 'write "PUT" or "PATCH"',
  WATCH: 'write "GET"',
  WRITE: 'write "POST", "PUT" or "PATCH"',
};

/** A word that is compared with the method of each request, and that no usual client sends as one. */
export const rule: Rule = {
  code: 'unknown-method',
  id: 'MP420',
  severity: 'warning',
  category: 'matching',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a method that no usual client sends',
  why: 'by that value an ALLOW rule lets nobody in, and a DENY rule denies nobody',
  hint: 'write the method that is sent, such as "GET" or "POST"',
  check({ snapshot, report }) {
    for (const { policy, rule, field, value, path } of operationValues(
      snapshot,
      ...(['methods', 'notMethods'] as const),
    )) {
      const method = value.toUpperCase();
      if (usual.includes(method) || unusual.test(method) || method.includes('*')) continue;
      // UPDATE and its like are methods of versioning (RFC 3253) beside others of that family.
      if (rule.to?.some(({ operation: { methods = [] } }) => methods.some((other) => unusual.test(other)))) continue;
      const near = method.length > 3 ? nearest(method, usual) : undefined;
      const hint = verbs[method] ?? (near && `did you mean "${near}"?`);
      if (hint === undefined) continue;
      const why = whyIdle(policy, field === 'notMethods', 'no usual client sends it');
      report({ object: policy, path, message: `no usual client sends the method "${value}"`, why, hint });
    }
  },
};
