import type { AuthorizationPolicy, AuthorizationRule, Operation } from '../../policy/authorization-policy.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { readPorts, tcpPortsOf } from '../authorization/read-ports.ts';
import { type RuleAt, rulesOf } from '../authorization/walk.ts';
import type { Place, Rule } from '../rule.ts';

const httpFields = ['methods', 'notMethods', 'paths', 'notPaths', 'hosts', 'notHosts'] as const;

/** What is not read as HTTP has connections alone, and these have no methods, paths, hosts, headers or tokens. */
export const rule: Rule = {
  code: 'http-condition-on-tcp-port',
  id: 'MP325',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a condition of HTTP for a port that is not read as HTTP',
  why: 'TCP connections do not have what the condition asks for: there, an ALLOW rule lets nobody in, and a DENY rule refuses more than it says',
  hint: 'remove the condition for that port; only if the application speaks HTTP there, name the service port "http-…" or set its appProtocol',
  check({ snapshot, report, skip }) {
    const inForce = workloadsByPolicy(snapshot);
    for (const policy of snapshot.policies.authorizationPolicies) {
      const rules = rulesOf([policy]).filter(({ rule }) => hasHttp(rule));
      if (rules.length === 0 || policy.spec.action === 'CUSTOM') continue;
      const ports = readPorts(policy, inForce.get(policy) ?? [], snapshot);
      if (ports === undefined || ports.size === 0) {
        skip(policy);
        continue;
      }
      for (const at of rules) {
        for (const { field, port, place } of lostIn(at, ports)) {
          report({
            ...{ ...place, part: 'key' },
            message: `port ${port} is not read as HTTP, and TCP connections have no ${field}`,
          });
        }
      }
    }
  },
};

function hasHttp({ to = [], from = [], when = [] }: AuthorizationRule): boolean {
  return (
    to.some(({ operation }) => httpFields.some((field) => operation[field])) ||
    from.some(({ source }) => source.requestPrincipals ?? source.notRequestPrincipals) ||
    when.some(({ key }) => key.startsWith('request.'))
  );
}

interface Lost {
  readonly field: string;
  readonly port: string;
  readonly place: Place;
}

/** Of each operation for TCP ports alone, the first condition of HTTP; without "ports" it is for all of them. */
function lostIn({ policy, rule, path }: RuleAt, ports: ReadonlyMap<string, boolean>): readonly Lost[] {
  const { to = [] } = rule;
  const found: Lost[] = [];
  for (const [i, { operation }] of (to.length === 0 ? [{ operation: {} as Operation }] : to).entries()) {
    const [port] = tcpPortsOf(operation, ports);
    if (port === undefined) continue;
    const field = httpFields.find((it) => operation[it]);
    if (field !== undefined) {
      const place = { object: policy, path: [...path, 'to', i, 'operation', field] };
      found.push({ field: field.replace(/^not/, '').toLowerCase(), port, place });
    } else found.push(...lostBeside(policy, rule, path, port));
  }
  return found;
}

function lostBeside(
  policy: AuthorizationPolicy,
  { from = [], when = [] }: AuthorizationRule,
  path: RuleAt['path'],
  port: string,
): readonly Lost[] {
  const asking = when.findIndex(({ key }) => key.startsWith('request.'));
  if (asking !== -1) {
    const place = { object: policy, path: [...path, 'when', asking, 'key'] };
    return [{ field: when[asking]?.key ?? '', port, place }];
  }
  const source = from.findIndex((it) => it.source.requestPrincipals ?? it.source.notRequestPrincipals);
  if (source === -1 || source + 1 < from.length) return [];
  const field = from[source]?.source.requestPrincipals ? 'requestPrincipals' : 'notRequestPrincipals';
  return [{ field: 'tokens', port, place: { object: policy, path: [...path, 'from', source, 'source', field] } }];
}
