import { stringify } from 'yaml';
import { compileGauged } from '../gauged-mesh.ts';
import { gatewayLabels } from '../generated-gateways.ts';
import { at, casesOf, get, over, type Row, type Sent, type TellingCase } from './case.ts';

const files = { serverCertificate: '/etc/certs/client.pem', privateKey: '/etc/certs/client-key.pem' };
const https = (host: string, tls: object): object => ({
  port: { number: 443, name: `tls-${host.replaceAll(/\W/g, '-')}`, protocol: 'HTTPS' },
  hosts: [host],
  tls: { ...files, ...tls },
});

const gateway = {
  apiVersion: 'networking.mesh.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge', namespace: 'foo' },
  spec: {
    selector: gatewayLabels,
    servers: [
      { port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['*'] },
      https('*.test', { mode: 'SIMPLE' }),
      https('*.b.test', { mode: 'SIMPLE' }),
      https('own.test', { mode: 'MUTUAL', caCertificates: '/etc/certs/ca.pem' }),
    ],
  },
};

const route = (host: string, request?: object): object => ({
  destination: { host, port: { number: 80 } },
  ...(request !== undefined && { headers: { request } }),
});
const forward = (uri: object, more: object = {}): object => ({ match: [{ uri }], route: [route('web')], ...more });

function virtualService(name: string, host: string, http: readonly object[]): object {
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { name, namespace: 'foo' },
    spec: { hosts: [host], gateways: ['edge'], http },
  };
}

const main = virtualService('main', 'a.b.test', [
  forward({ prefix: '/begin' }, { rewrite: { uri: '/new' } }),
  forward({ exact: '/whole' }, { rewrite: { uri: '/new' } }),
  forward({ regex: '/whole/[a-z-]+' }, { rewrite: { uri: '/new' } }),
  forward({ prefix: '/places' }, { rewrite: { uriRegexRewrite: { match: 'a', rewrite: '<\\0>' } } }),
  forward({ prefix: '/order' }, { headers: { request: { set: { 'x-team': 'route' } } } }),
  {
    match: [{ uri: { prefix: '/target' } }],
    headers: { request: { set: { 'x-team': 'route', 'x-own': 'route' } } },
    route: [route('web', { set: { 'x-team': 'target' } })],
  },
  forward({ prefix: '/change' }, { headers: { request: { add: { 'x-team': 'added' }, remove: ['x-role'] } } }),
  { match: [{ uri: { prefix: '/absent' }, withoutHeaders: { 'x-team': { regex: 'x?' } } }], route: [route('web')] },
  {
    match: [{ uri: { prefix: '/other' }, withoutHeaders: { 'x-team': { exact: 'dev' } } }],
    route: [route('web')],
  },
  { match: [{ uri: { prefix: '/param' }, queryParams: { z: { exact: '1' } } }], route: [route('web')] },
  {
    match: [{ uri: { prefix: '/letters' }, headers: { 'x-role': { regex: '(?i)[[:alpha:]]+' } } }],
    route: [route('web')],
  },
  forward({ prefix: '/fault' }, { fault: { abort: { httpStatus: 418, percentage: { value: 100 } } } }),
  forward({ prefix: '/none' }, { fault: { abort: { httpStatus: 418, percentage: { value: 0 } } } }),
  { match: [{ uri: { prefix: '/moved' } }], redirect: { authority: 'else' } },
  { match: [{ uri: { prefix: '/found' } }], redirect: { authority: 'else', redirectCode: 302 } },
  forward(
    { prefix: '/cors' },
    { corsPolicy: { allowOrigins: [{ exact: 'https://a.test' }], unmatchedPreflights: 'IGNORE' } },
  ),
  forward(
    { prefix: '/asked' },
    { corsPolicy: { allowOrigins: [{ exact: 'https://a.test' }], unmatchedPreflights: 'FORWARD' } },
  ),
]);

/** Each says which of the hosts was chosen. */
const others = ['*', '*.test', '*.b.test', 'own.test'].map((host, i) =>
  virtualService(`other-${i}`, host, [{ route: [route('api', { set: { 'x-to': host } })] }]),
);

const preflight = (path: string, origin: string): Sent => {
  const { request } = get(path, ['origin', origin], ['access-control-request-method', 'GET']);
  return { request: { ...request, method: 'OPTIONS' } };
};

const mainRows: readonly Row[] = [
  ['a rewrite replaces a beginning', get('/begin/x?y=1')],
  ['and keeps what follows it', get('/beginning')],
  ['it replaces a whole path', get('/whole?y=1')],
  ['also one that an expression matches, however long', get('/whole/longer-than-the-expression?y=1')],
  ['every place that an expression finds', get('/places/a/ba?a')],
  ['a header of a route', get('/order', ['x-team', 'client'])],
  ['is set before that of its target', get('/target', ['x-team', 'client'])],
  ['an added header stands behind others', get('/change', ['x-team', 'client'], ['x-role', 'client'])],
  ['an absent header counts as empty', get('/absent')],
  ['a present one does not', get('/absent', ['x-team', 'x'])],
  ['an absent header is another value', get('/other')],
  ['the value itself is not', get('/other', ['x-team', 'dev'])],
  ['the first value of a parameter counts', get('/param?z=1&z=2')],
  ['and no other', get('/param?z=2&z=1')],
  ['classes of letters', get('/letters', ['x-role', 'Abc'])],
  ['have no digits', get('/letters', ['x-role', 'abc1'])],
  ['a fault of all requests', get('/fault')],
  ['a fault of none', get('/none')],
  ['a redirect without a code', get('/moved')],
  ['one with a code', get('/found')],
  ['a request of another method is no preflight', get('/cors', ...preflight('', 'https://a.test').request.headers)],
  ['a preflight of an origin', preflight('/cors', 'https://a.test')],
  ['one of another origin is answered', preflight('/cors', 'https://no.test')],
  ['or goes on', preflight('/asked', 'https://no.test')],
  ['what no route has', get('/nowhere')],
  ['what no route has, in gRPC', get('/nowhere', ['content-type', 'application/grpc'])],
  ['what a client says of its protocol', get('/other', ['x-forwarded-proto', 'https'])],
  ['of its address', get('/other', ['x-forwarded-for', '192.0.2.9'])],
].map(([what, sent]): Row => [what as string, at('a.b.test', sent as Sent)]);

const hostRows: readonly Row[] = [
  'x.b.test',
  'x.y.b.test',
  'x.test',
  'own.test',
  'OWN.test',
  'own.test:80',
  'own.test:abc',
  'own.test.',
  'own.test.:80',
  'else',
].map((host) => [`the host ${host}`, at(host, get('/x'))]);

const withName = (serverName: string | undefined, identities?: readonly string[]): Parameters<typeof over>[0] => ({
  tls: { alpn: ['http/1.1'], serverName, identities },
});

const tlsRows: readonly Row[] = [
  ...['x.b.test', 'x.y.b.test', 'x.test', 'own.test', 'else'].map((host): Row => {
    return [`the server name ${host}`, over(withName(host), at(host, get('/x')))];
  }),
  [
    'a certificate of another authority',
    over(withName('own.test', ['spiffe://cluster.local/ns/foo/sa/sleep']), at('own.test', get('/x'))),
  ],
  ['no server name', over(withName(undefined), at('x.test', get('/x')))],
];

/** Requests to a gateway at this address. */
export async function tellingGateways(address: string): Promise<readonly TellingCase[]> {
  const text = [gateway, main, ...others].map((object) => stringify(object)).join('---\n');
  const mesh = await compileGauged(address, text, {}, 'gateway');
  return [...casesOf(mesh, 80, [...mainRows, ...hostRows]), ...casesOf(mesh, 443, tlsRows)];
}
