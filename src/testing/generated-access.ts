import { stringify } from 'yaml';
import type { Dice } from './dice.ts';

/** What the policies and requests of the gauge are made of. */
export const vocabulary = {
  methods: ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'],
  paths: [
    '/info',
    '/info*',
    '/admin',
    '/admin/*',
    '*.php',
    '/a/{*}/b',
    '/store/{**}',
    '/store/{**}/cart',
    '/a/{*}/{**}',
    '/{*}/b',
    '/',
    '*',
    '/x/y',
  ],
  hosts: ['httpbin.foo', 'httpbin.foo:*', 'httpbin*', '*.example.com', 'api.example.com', '*.com', '*'],
  ports: ['8080', '9000', '7070'],
  principals: [
    'cluster.local/ns/foo/sa/sleep',
    'cluster.local/ns/bar/sa/*',
    '*/sa/sleep',
    'cluster.local/ns/foo/sa/other',
    'other.example/ns/foo/sa/sleep',
    '*',
  ],
  namespaces: ['foo', 'bar', 'ba*', '*r'],
  ipBlocks: ['10.9.0.0/16', '10.9.1.0/24', '10.9.1.7', '10.8.0.0/14', '0.0.0.0/0'],
  requestPrincipals: ['*', 'https://a.example/*', 'https://a.example/x', '*/y', 'https://b.example/x@y'],
  headers: ['x-role', 'x-team', 'x-none'],
  values: ['admin', 'adm*', '*min', 'dev', '*', 'a b'],
} as const;

/** `wide`: also rules that most requests meet, and conditions of connections. */
export type Variety = 'usual' | 'wide';

/** YAML of one to four access policies of a workload `foo/httpbin`, from a small vocabulary in which things meet. */
export function generatedAccess(dice: Dice, labels: object = { app: 'httpbin' }, variety: Variety = 'usual'): string {
  const count = 1 + dice.below(4);
  return Array.from({ length: count }, (_, i) => stringify(policy(dice, i, labels, variety))).join('---\n');
}

function policy(dice: Dice, index: number, labels: object, variety: Variety): object {
  const namespace = dice.chance(20) ? 'mesh-system' : 'foo';
  const selector = dice.chance(60) ? { selector: { matchLabels: labels } } : {};
  const action = dice.pick(['ALLOW', 'ALLOW', 'ALLOW', 'ALLOW', 'DENY', 'DENY', 'AUDIT']);
  const rules = Array.from({ length: 1 + dice.below(3) }, () => rule(dice, variety));
  if (variety === 'wide' && action === 'ALLOW' && dice.chance(45)) rules.push(broadRule(dice));
  return {
    apiVersion: 'security.mesh.io/v1',
    kind: 'AuthorizationPolicy',
    metadata: { name: `p${index}`, namespace },
    spec: { ...selector, action, rules },
  };
}

function rule(dice: Dice, variety: Variety): object {
  const parts = {
    ...(dice.chance(50) && { from: Array.from({ length: 1 + dice.below(2) }, () => ({ source: source(dice) })) }),
    ...(dice.chance(75) && { to: Array.from({ length: 1 + dice.below(2) }, () => ({ operation: operation(dice) })) }),
    ...(dice.chance(45) && { when: Array.from({ length: 1 + dice.below(2) }, () => condition(dice, variety)) }),
  };
  return Object.keys(parts).length === 0 ? { to: [{ operation: operation(dice) }] } : parts;
}

/** Lets most requests pass. */
function broadRule(dice: Dice): object {
  const { paths, methods, headers, values, namespaces } = vocabulary;
  return dice.pick<() => object>([
    () => ({ to: [{ operation: { notPaths: dice.some(paths.slice(0, 7), 2) } }] }),
    () => ({ to: [{ operation: { notMethods: dice.some(methods.slice(1), 2) } }] }),
    () => ({ from: [{ source: { notNamespaces: [dice.pick(namespaces)] } }] }),
    () => ({ when: [{ key: `request.headers[${dice.pick(headers)}]`, notValues: dice.some(values.slice(0, 4), 2) }] }),
    () => ({ when: [{ key: 'request.auth.claims[groups]', notValues: ['dev'] }] }),
  ])();
}

/** One to three of the fields, some of them in their negated form. */
function fields(dice: Dice, from: Readonly<Record<string, readonly string[]>>): object {
  const chosen = dice.some(Object.keys(from), 2).map((field) => {
    const values = dice.some(from[field] ?? []);
    const name = dice.chance(25) ? `not${field[0]?.toUpperCase()}${field.slice(1)}` : field;
    return [name, values];
  });
  return Object.fromEntries(chosen);
}

function source(dice: Dice): object {
  const { principals, namespaces, ipBlocks, requestPrincipals } = vocabulary;
  return fields(dice, { principals, namespaces, ipBlocks, remoteIpBlocks: ipBlocks, requestPrincipals });
}

function operation(dice: Dice): object {
  const { methods, paths, hosts, ports } = vocabulary;
  return fields(dice, { paths, methods, hosts, ports });
}

/** What a claim may be asked for. */
const claims: readonly (readonly [key: string, values: readonly string[]])[] = [
  ['request.auth.claims[groups]', ['dev', 'ops', 'o*', '*']],
  ['request.auth.claims[scope]', ['read', 'write']],
  ['request.auth.claims[realm][role]', ['admin', '*min']],
  ['request.auth.audiences', ['one', 'two']],
  ['request.auth.principal', ['https://a.example/x', 'https://b.example/*']],
];

/** What of a connection may be asked for. */
const connectionKeys: readonly (readonly [key: string, values: readonly string[]])[] = [
  ['source.ip', vocabulary.ipBlocks],
  ['remote.ip', vocabulary.ipBlocks],
  ['source.namespace', vocabulary.namespaces],
  ['source.principal', vocabulary.principals],
  ['source.serviceAccount', ['sleep', 'bar/sleep', 'foo/other']],
  ['source.trustDomain', ['cluster.local', 'other.*', '*']],
  ['destination.ip', ['10.1.0.0/24', '10.1.0.0/16', '10.2.0.0/16']],
  ['destination.port', vocabulary.ports],
  ['connection.sni', ['outbound_.8080_._.*', 'web.example.com', '*.example.com', '*']],
];

function condition(dice: Dice, variety: Variety): object {
  const sense = dice.chance(35) ? 'notValues' : 'values';
  const kind = dice.below(variety === 'wide' ? 100 : 80);
  if (kind < 35 || kind >= 80) {
    const [key, values] = dice.pick(kind < 35 ? claims : connectionKeys);
    return { key, [sense]: dice.some(values, 2) };
  }
  return { key: `request.headers[${dice.pick(vocabulary.headers)}]`, [sense]: dice.some(vocabulary.values) };
}
