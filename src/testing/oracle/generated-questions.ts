import type { Dice } from '../dice.ts';
import { hosts, type MeshHost, type MeshPod, pods } from '../generated-mesh.ts';
import { issuers } from './generated-intent.ts';
import type { SentToken, TokenPlace } from './tokens.ts';
import type { Question } from './verdict.ts';

/** A question, and where the client's connection goes: a port of a service, or a workload's own. */
export interface Asked {
  readonly question: Question;
  readonly target:
    | { readonly host: MeshHost; readonly port: number }
    | { readonly pod: MeshPod; readonly port: number };
}

/** The address of a workload of the fixed mesh. */
export function addressOf(pod: MeshPod): string {
  return `10.1.0.${pods.indexOf(pod) + 1}`;
}

/** Container ports by port of the fixed mesh's services; all others have the same number. */
export function containerPortOf(port: number): number {
  return port === 80 ? 8080 : port;
}

const web = hosts.filter(({ kind, host }) => kind === 'cluster' && /^(web|api)\./.test(host));
const all = hosts.filter(({ kind }) => !kind.startsWith('external'));
const clients = pods.filter(({ name }) => name !== 'db');
const strangers = [
  undefined,
  'spiffe://cluster.local/ns/a/sa/curl',
  'spiffe://cluster.local/ns/c/sa/curl',
  'spiffe://cluster.local/ns/b/sa/late',
  'spiffe://cluster.local/ns/ab/sa/curl',
  'spiffe://cluster.local/ns/a/sa/curly',
  'spiffe://old.example/ns/a/sa/curl',
  'spiffe://other.example/ns/a/sa/curl',
];

/** A question of one of the clients about a service or a workload of the fixed mesh. */
export function generatedQuestion(dice: Dice, tokens: readonly SentToken[]): Asked {
  const client = clientOf(dice);
  const isStranger = client.kind === 'stranger';
  const host = dice.pick(dice.chance(85) ? web : all);
  const port = dice.chance(70) ? (host.ports[0] ?? 80) : dice.pick(host.ports);
  const containerPort = containerPortOf(port);
  const isTcp = containerPort !== 8080 && containerPort !== 8000 && (containerPort !== 9100 || dice.chance(50));
  const request = isTcp ? undefined : requestOf(dice, host, client.kind === 'pod' && client.pod.hasSidecar, tokens);
  const answers = { authorizer: dice.pick(['allow', 'deny'] as const) };
  const rest = { client, ...answers, ...(request !== undefined && { request }) };
  // Whoever has a certificate of the mesh outside of it calls a workload by its address.
  if ((isStranger && client.identity !== undefined) || dice.chance(10)) {
    const pod = dice.pick(pods.filter(({ ports, hasSidecar }) => hasSidecar && ports.includes(containerPort)));
    if (pod !== undefined && pod.name !== 'db') {
      const own = dice.chance(8) ? 7777 : containerPort;
      return { question: { ...rest, containerPort: own }, target: { pod, port: own } };
    }
  }
  const asked =
    isStranger && client.identity !== undefined ? { ...rest, client: { ...client, identity: undefined } } : rest;
  return { question: { ...asked, service: { host, port }, containerPort }, target: { host, port } };
}

function clientOf(dice: Dice): Question['client'] {
  if (dice.chance(65)) {
    const pod = dice.pick(clients);
    return { kind: 'pod', pod, address: addressOf(pod) };
  }
  return {
    kind: 'stranger',
    address: dice.pick(['192.0.2.7', '192.0.2.9', '198.51.100.1']),
    identity: dice.pick(strangers),
  };
}

const paths = [
  '/',
  '/admin',
  '/admin/',
  '/admin/x',
  '/administrator',
  '/index.php',
  '/a/b/c',
  '/a/c',
  '/a/b/b/x/y',
  '/a/',
  '/a/b/b/c',
  '/x',
  '/x.php/y',
];
const lines = ['admin', 'administrator', 'superadmin', 'dev', 'dev,admin', 'dev, admin', 'a b', 'Admin', ''];
const cookies = [
  'role=admin',
  'a=1; role=admin',
  'role=admin;b=2',
  'a=1; role=admin; b=2',
  'a=role=admin',
  'a=1,role=admin',
  '',
];

function requestOf(
  dice: Dice,
  { host }: MeshHost,
  isRouted: boolean,
  tokens: readonly SentToken[],
): NonNullable<Question['request']> {
  const [short, namespace] = host.split('.');
  // A client's sidecar knows the service by its names alone.
  const names = [host, host, host, `${host}:80`];
  const others = [
    `${host}.`,
    host.toUpperCase(),
    'shop.example',
    'SHOP.example:8080',
    'example',
    `${short}.${namespace}`,
    'a,b',
    'u@shop.example',
  ];
  const headers = {
    ...(dice.chance(40) && { 'x-role': dice.pick(lines) }),
    ...(dice.chance(25) && { 'x-team': dice.pick(lines) }),
    ...(dice.chance(30) && { cookie: dice.pick(cookies) }),
    ...(dice.chance(20) && {
      'x-forwarded-for': dice.pick(['192.0.2.7', '198.51.100.1', '192.0.2.7, 10.1.0.7', '10.1.0.2']),
    }),
  };
  return {
    method: dice.pick(['GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD']),
    path: `${dice.pick(paths)}${dice.chance(10) ? '?q=/admin' : ''}`,
    authority: dice.pick(isRouted ? names : [...names, ...others]),
    headers,
    token: dice.chance(45) ? dice.pick(tokens) : undefined,
  };
}

const places: readonly TokenPlace[] = [
  { kind: 'bearer' },
  { kind: 'bearer' },
  { kind: 'bearer' },
  { kind: 'header', name: 'x-token', prefix: '' },
  { kind: 'header', name: 'x-jwt', prefix: 'JWT ' },
  { kind: 'param', name: 'token' },
  { kind: 'param', name: 'access_token' },
];

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens of both issuers and of another, good ones and others. Their signatures are none: the test knows who has signed. */
export function generatedTokens(
  dice: Dice,
  keySets: readonly string[],
  now: number,
  count: number,
): readonly SentToken[] {
  return Array.from({ length: count }, (_, i) => {
    const isCritical = dice.chance(4);
    const issuer = dice.pick([...issuers, ...issuers, ...issuers, 'https://c.example']);
    const own = keySets[(issuers as readonly string[]).indexOf(issuer)];
    const claims = {
      iss: issuer,
      ...(dice.chance(92) && { sub: dice.pick(['ann', 'bob', 'bobby', '']) }),
      ...(dice.chance(75) && { aud: dice.pick<unknown>(['shop', 'bank', ['bank', 'shop'], 'shopping', []]) }),
      ...(dice.chance(70) && { exp: now + (dice.chance(85) ? 600 : -600) }),
      ...(dice.chance(10) && { nbf: now + (dice.chance(50) ? 600 : -600) }),
      ...(dice.chance(30) && { azp: dice.pick(['phone', 'watch']) }),
      ...(dice.chance(60) && { groups: dice.pick<unknown>(['dev', ['dev', 'ops'], 'dev ops', [], 7, ['']]) }),
      ...(dice.chance(50) && { scope: dice.pick(['read', 'read write', 'write']) }),
      ...(dice.chance(40) && { realm: { role: dice.pick<unknown>(['admin', ['admin', 'dev'], true]) } }),
    };
    const header = { alg: 'ES256', ...(isCritical && dice.pick<object>([{ crit: ['x'], x: 1 }, { b64: false }])) };
    return {
      text: `${encode(header)}.${encode(claims)}.${Buffer.from(`signature ${i}`).toString('base64url')}`,
      claims,
      signedBy: dice.chance(92) ? own : keySets[dice.below(2)],
      isCritical,
      place: dice.pick(places),
    };
  });
}
