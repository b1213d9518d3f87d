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
    '/',
    '*',
    '/x/y',
  ],
  hosts: ['httpbin.foo', 'httpbin.foo:*', 'httpbin*', '*.example.com', 'api.example.com', '*'],
  ports: ['8080', '9000', '7070'],
  principals: [
    'cluster.local/ns/foo/sa/sleep',
    'cluster.local/ns/bar/sa/*',
    '*/sa/sleep',
    'cluster.local/ns/foo/sa/other',
    '*',
  ],
  namespaces: ['foo', 'bar', 'ba*', '*r'],
  ipBlocks: ['10.9.0.0/16', '10.9.1.0/24', '10.9.1.7', '10.8.0.0/14', '0.0.0.0/0'],
  requestPrincipals: ['*', 'https://a.example/*', 'https://a.example/x', '*/y', 'https://b.example/x@y'],
  headers: ['x-role', 'x-team', 'x-none'],
  values: ['admin', 'adm*', '*min', 'dev', '*', 'a b'],
} as const;

/** YAML of one to four access policies of a workload `foo/httpbin`, from a small vocabulary in which things meet. */
export function generatedAccess(dice: Dice, labels: object = { app: 'httpbin' }): string {
  const count = 1 + dice.below(4);
  return Array.from({ length: count }, (_, i) => stringify(policy(dice, i, labels))).join('---\n');
}

function policy(dice: Dice, index: number, labels: object): object {
  const namespace = dice.chance(20) ? 'mesh-system' : 'foo';
  const selector = dice.chance(60) ? { selector: { matchLabels: labels } } : {};
  const action = dice.pick(['ALLOW', 'ALLOW', 'DENY']);
  const rules = Array.from({ length: 1 + dice.below(3) }, () => rule(dice));
  return {
    apiVersion: 'security.mesh.io/v1',
    kind: 'AuthorizationPolicy',
    metadata: { name: `p${index}`, namespace },
    spec: { ...selector, action, rules },
  };
}

function rule(dice: Dice): object {
  const parts = {
    ...(dice.chance(50) && { from: Array.from({ length: 1 + dice.below(2) }, () => ({ source: source(dice) })) }),
    ...(dice.chance(75) && { to: Array.from({ length: 1 + dice.below(2) }, () => ({ operation: operation(dice) })) }),
    ...(dice.chance(35) && { when: Array.from({ length: 1 + dice.below(2) }, () => condition(dice)) }),
  };
  return Object.keys(parts).length === 0 ? { to: [{ operation: operation(dice) }] } : parts;
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

function condition(dice: Dice): object {
  const [claim, values] = dice.pick(claims);
  if (dice.chance(35)) return { key: claim, [dice.chance(30) ? 'notValues' : 'values']: dice.some(values, 2) };
  const key = `request.headers[${dice.pick(vocabulary.headers)}]`;
  return { key, [dice.chance(30) ? 'notValues' : 'values']: dice.some(vocabulary.values) };
}
