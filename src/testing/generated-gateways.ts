import { stringify } from 'yaml';
import type { Connection, HttpRequest } from '../access/request.ts';
import type { Dice } from './dice.ts';

/** Label of the generated gateway's workload. */
export const gatewayLabels = { app: 'edge' };

const hosts = [
  'web.example.com',
  'api.example.com',
  '*.example.com',
  'a.b.example.com',
  '*.b.example.com',
  'other.test',
  '*',
] as const;
const files = { serverCertificate: '/etc/certs/client.pem', privateKey: '/etc/certs/client-key.pem' };
/** Certificates of clients are refused now and then, as in real traffic: with what curl exits then is a matter of time. */
const simple = { mode: 'SIMPLE', ...files };
const tlsModes: readonly object[] = [
  ...Array.from({ length: 49 }, () => simple),
  { mode: 'MUTUAL', ...files, caCertificates: '/etc/certs/ca.pem' },
  { mode: 'OPTIONAL_MUTUAL', ...files, caCertificates: '/etc/certs/ca.pem' },
  { mode: 'MESH_MUTUAL' },
  { mode: 'MESH_MUTUAL' },
  { mode: 'MESH_MUTUAL' },
  ...Array.from({ length: 6 }, () => ({ mode: 'PASSTHROUGH' })),
];

/** YAML of a gateway `foo/edge`, and of one to three virtual services that are bound to it. */
export function generatedGateway(dice: Dice): string {
  const secure = dice.some(hosts.slice(0, 6), 8).map((host, i) => {
    const tls = dice.pick(tlsModes) as { readonly mode: string };
    const protocol = tls.mode === 'PASSTHROUGH' ? 'TLS' : 'HTTPS';
    return { port: { number: 443, name: `tls-${i}`, protocol }, hosts: [host], tls };
  });
  const redirect = dice.chance(10) ? { tls: { httpsRedirect: true } } : {};
  const plain = { port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: dice.some(hosts, 5), ...redirect };
  const gateway = {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge', namespace: 'foo' },
    spec: { selector: gatewayLabels, servers: [plain, ...secure] },
  };
  const taken = dice.some(hosts, 8);
  const services = taken.map((host, i) => virtualService(dice, host, i));
  return [gateway, ...services].map((object) => stringify(object)).join('---\n');
}

function virtualService(dice: Dice, host: string, index: number): object {
  const http = Array.from({ length: 1 + dice.below(4) }, () => route(dice));
  const tls = [
    { match: [{ port: 443, sniHosts: [host] }], route: [{ destination: { host: 'api', port: { number: 80 } } }] },
  ];
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { name: `v${index}`, namespace: 'foo' },
    spec: { hosts: [host], gateways: ['edge'], http, ...(host !== '*' && dice.chance(50) && { tls }) },
  };
}

const uris: readonly object[] = [
  { prefix: '/a' },
  { prefix: '/store/' },
  { prefix: '/' },
  { exact: '/info' },
  { exact: '/admin' },
  { regex: '/x/[a-z]+' },
  { prefix: '/index' },
];

function route(dice: Dice): object {
  const match = {
    ...(dice.chance(75) && { uri: dice.pick(uris) }),
    ...(dice.chance(30) && { ignoreUriCase: true }),
    ...(dice.chance(30) && {
      headers: { 'x-role': dice.pick([{ exact: 'admin' }, { prefix: 'adm' }, { regex: '.*min' }]) },
    }),
    ...(dice.chance(15) && { method: { exact: dice.pick(['GET', 'POST']) } }),
    ...(dice.chance(25) && { queryParams: { z: dice.pick([{ exact: '1' }, { regex: '[0-9]+' }]) } }),
    ...(dice.chance(25) && { withoutHeaders: { 'x-team': { exact: 'dev' } } }),
  };
  const matches = dice.chance(75) && Object.keys(match).length > 0 ? { match: [match] } : {};
  if (dice.chance(12)) return { ...matches, directResponse: { status: dice.pick([200, 418, 503]) } };
  if (dice.chance(11)) return { ...matches, redirect: { uri: '/new', redirectCode: dice.pick([301, 302, 307, 308]) } };
  return { ...matches, ...changes(dice), route: destinations(dice) };
}

function destinations(dice: Dice): readonly object[] {
  const to = (host: string): object => ({ destination: { host, port: { number: 80 } } });
  const named = (host: string): object => ({ ...to(host), headers: { request: { set: { 'x-to': host } } } });
  if (dice.chance(80)) return [to(dice.pick(['web', 'api']))];
  return [
    { ...named('web'), weight: 50 },
    { ...named('api'), weight: 50 },
  ];
}

function changes(dice: Dice): object {
  const rewrite = dice.pick<object>([
    { uri: '/new' },
    { uri: '/' },
    { uri: '/n/' },
    { authority: 'inner.test' },
    { uri: '/new', authority: 'inner.test:80' },
    { uriRegexRewrite: { match: '^/([a-z]+)(.*)$', rewrite: '/r/\\1\\2' } },
    { uriRegexRewrite: { match: 'a', rewrite: '<\\0>' } },
    { uriRegexRewrite: { match: '^.*$', rewrite: '/whole' } },
    { uriRegexRewrite: { match: '[a-z]*', rewrite: 'z' } },
    { uriRegexRewrite: { match: '/', rewrite: '//' } },
  ]);
  const share = dice.pick([0, 50, 100, 100]);
  const abort = dice.pick<object>([{ httpStatus: 503 }, { httpStatus: 418 }, { grpcStatus: 'UNAVAILABLE' }]);
  return {
    ...(dice.chance(45) && { rewrite }),
    ...(dice.chance(20) && { fault: { abort: { ...abort, percentage: { value: share } } } }),
    ...(dice.chance(25) && {
      corsPolicy: {
        allowOrigins: dice.some(
          [{ exact: 'https://a.test' }, { prefix: 'https://b' }, { regex: 'https://.*\\.c\\.test' }],
          2,
        ),
        ...(dice.chance(50) && { unmatchedPreflights: dice.pick(['FORWARD', 'IGNORE']) }),
      },
    }),
    ...(dice.chance(25) && {
      headers: {
        request: {
          ...(dice.chance(50) && { set: { 'x-team': 'set', 'x-forwarded-host': 'set' } }),
          ...(dice.chance(50) && { add: { 'x-team': 'added', 'x-own': '100%%' } }),
          ...(dice.chance(50) && { remove: ['x-role'] }),
        },
      },
    }),
  };
}

const usualNames = [
  'web.example.com',
  'api.example.com',
  'x.example.com',
  'a.b.example.com',
  'c.b.example.com',
  'other.test',
];
const names = [...usualNames, ...usualNames, ...usualNames, 'none.test', 'example.com'];

/** A connection to the gateway: plaintext, or TLS with a server name and perhaps a certificate of the mesh. */
export function generatedGatewayConnection(dice: Dice, address: string): Connection {
  const isSecure = dice.chance(55);
  const source = dice.pick(['10.9.0.5', '10.9.1.7', '10.10.0.1']);
  const base = {
    source,
    destination: { address, port: isSecure === dice.chance(96) ? 443 : 80 },
    protocol: 'http/1.1' as const,
  };
  if (!isSecure) return base;
  const identities = ['spiffe://cluster.local/ns/foo/sa/sleep'];
  return {
    ...base,
    tls: {
      alpn: dice.pick([['http/1.1'], [], ['http/1.1'], ['mesh']]),
      ...(dice.chance(92) && { serverName: dice.pick(names) }),
      ...(dice.chance(75) && { identities }),
    },
  };
}

/** A request, as a client of the gateway changes one of the usual ones. */
export function generatedGatewayRequest(dice: Dice, request: HttpRequest, { tls }: Connection): HttpRequest {
  const name = tls?.serverName !== undefined && dice.chance(60) ? tls.serverName : dice.pick(names);
  const authority = dice.pick([
    ...[name, name, name, name, name, `${name}:443`, `${name}:80`, name.toUpperCase(), `${name}.`],
    request.authority,
  ]);
  const headers = [...request.headers];
  if (dice.chance(15)) {
    headers.push([
      'origin',
      dice.pick(['https://a.test', 'https://b.test', 'https://x.c.test', 'https://no.test', '']),
    ]);
    if (dice.chance(80)) headers.push(['access-control-request-method', 'GET']);
  }
  if (dice.chance(5)) headers.push([dice.pick(['x_team', 'x-own', 'x-forwarded-proto', 'x-request-id']), 'dev']);
  if (dice.chance(35))
    headers.push(['content-type', dice.pick(['application/grpc', 'application/grpc+proto', 'application/grpcx'])]);
  const query = dice.chance(20) ? `${request.path.includes('?') ? '&' : '?'}z=${dice.pick(['1', 'a'])}` : '';
  const path = `${request.path}${query}`;
  const method = headers.some(([key]) => key === 'origin') && dice.chance(70) ? 'OPTIONS' : request.method;
  return { ...request, method, path, authority, headers };
}
