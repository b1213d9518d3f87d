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
  judges: 'each',
  since: '0.1.0',
  title: 'a condition of HTTP for a port that is not read as HTTP',
  why: 'TCP connections do not have what the condition asks for: there, an ALLOW rule lets nobody in, and a DENY rule refuses more than it says',
  hint: 'name the clients by what connections have (principals, namespaces, ipBlocks), or write the condition for ports of HTTP; only if the application speaks HTTP there, name the service port "http-…" ("grpc-…" for gRPC) or set its appProtocol',
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
            hint: hintFor(at, port),
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

/** Without the condition the rule must not let in, or refuse, whom it does not name; so the hint depends on what is left. */
function hintFor({ policy, rule }: RuleAt, port: string): string {
  const speaking = `only if the application speaks HTTP there, name the service port "${prefixFor(rule)}-…" or set its appProtocol`;
  if (policy.spec.action === 'DENY') {
    return `write the condition for ports of HTTP alone ("ports"); for port ${port} name the clients that it is to refuse, or none to refuse every connection; ${speaking}`;
  }
  return asksForClients(rule)
    ? `write a rule with the same clients and ports: ["${port}"], without the condition; ${speaking}`
    : `in place of the condition name the clients, by principals or namespaces (they need mutual TLS) or by ipBlocks: a rule without any lets everybody in; ${speaking}`;
}

const clientFields = ['principals', 'namespaces', 'serviceAccounts', 'ipBlocks', 'remoteIpBlocks'] as const;

/** Whether something that connections have, too, says who the clients are. */
function asksForClients({ from = [], when = [] }: AuthorizationRule): boolean {
  const named = from.length > 0 && from.every(({ source }) => clientFields.some((field) => source[field]?.length));
  return named || when.some(({ key, values = [] }) => /^(source|remote)\./.test(key) && values.length > 0);
}

/** A package with dots, the service and its method: `/risk.v1.Risk/Score`. */
const grpcPath = /^\/[\w-]+(\.[\w-]+)+\/(\w+|\*)$/;

/** Proxies speak HTTP/1.1 to a port "http-…", which gRPC does not survive. */
function prefixFor({ to = [] }: AuthorizationRule): 'grpc' | 'http' {
  return to.some(({ operation: { paths = [] } }) => paths.some((path) => grpcPath.test(path))) ? 'grpc' : 'http';
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
