import fc from 'fast-check';
import { stringify } from 'yaml';
import type { SourceFile } from '../source/document.ts';

/** An object of one of the kinds that read requests, as a test writes it. */
export interface EdgeObject {
  readonly apiVersion: string;
  readonly kind: 'RequestAuthentication' | 'AuthorizationPolicy' | 'Gateway' | 'VirtualService';
  readonly metadata: { readonly namespace: string; readonly creationTimestamp?: string };
  readonly spec: object;
}

/** A gateway workload beside the fixed mesh; its service delivers port 80 to 8080. */
export function edgeTopology(): SourceFile {
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'edge', namespace: 'mesh-system', labels: { mesh: 'ingressgateway' } },
      spec: { containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }] },
      status: { phase: 'Running', podIP: '10.1.9.1' },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'edge', namespace: 'mesh-system' },
      spec: {
        clusterIP: '10.96.9.1',
        selector: { mesh: 'ingressgateway' },
        ports: [{ port: 80, name: 'http', targetPort: 8080 }],
      },
    },
  ];
  return { path: 'edge.yaml', text: objects.map((object) => stringify(object)).join('---\n') };
}

/** Each object as YAML text in a file of its own: `o0` in `0.yaml` and so on, by its place in the list. */
export function edgeFiles(objects: readonly EdgeObject[]): SourceFile[] {
  return objects.map((entry, i) => ({
    path: `${i}.yaml`,
    text: stringify({ ...entry, metadata: { ...entry.metadata, name: `o${i}` } }),
  }));
}

/** An object without a name, valid by itself and with others. */
export function edgeObject(): fc.Arbitrary<EdgeObject> {
  return fc.oneof(
    object('RequestAuthentication', 'security.mesh.io/v1beta1', requestAuthentication()),
    object('AuthorizationPolicy', 'security.mesh.io/v1beta1', authorizationPolicy()),
    object('Gateway', 'networking.mesh.io/v1alpha3', gateway()),
    object('VirtualService', 'networking.mesh.io/v1alpha3', virtualService()),
  );
}

function object(kind: EdgeObject['kind'], apiVersion: string, spec: fc.Arbitrary<object>): fc.Arbitrary<EdgeObject> {
  const namespace = fc.constantFrom('mesh-system', 'a', 'a', 'b', 'c');
  const creationTimestamp = fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z');
  const metadata = fc.record({ namespace, creationTimestamp }, { requiredKeys: ['namespace'] });
  return fc.record({ apiVersion: fc.constant(apiVersion), kind: fc.constant(kind), metadata, spec });
}

const selector = fc.constantFrom(
  {},
  ...[{ app: 'web' }, { app: 'web', version: 'v1' }, { app: 'api' }, { mesh: 'ingressgateway' }].map((matchLabels) => ({
    selector: { matchLabels },
  })),
);

function requestAuthentication(): fc.Arbitrary<object> {
  const rule = some({
    audiences: list('one', 'two'),
    fromHeaders: fc.constantFrom([{ name: 'x-token' }], [{ name: 'x-token', prefix: 'Value ' }]),
    fromParams: list('token', 'other'),
    fromCookies: list('session'),
    forwardOriginalToken: fc.boolean(),
    outputPayloadToHeader: fc.constant('x-payload'),
    outputClaimToHeaders: fc.constant([{ header: 'x-sub', claim: 'sub' }]),
  });
  const issuer = fc.constantFrom('https://one.example', 'two@example.com', 'three');
  const jwksUri = fc.constantFrom('https://one.example/keys', 'https://two.example/keys');
  const jwtRules = fc.array(
    fc.tuple(issuer, jwksUri, rule).map(([name, uri, rest]) => ({ issuer: name, jwksUri: uri, ...rest })),
    { maxLength: 3 },
  );
  return fc.tuple(selector, jwtRules).map(([selected, rules]) => ({ ...selected, jwtRules: rules }));
}

function authorizationPolicy(): fc.Arbitrary<object> {
  const source = filled({
    principals: list('*', 'cluster.local/ns/a/sa/curl', '*/sa/web', 'cluster.local/ns/b/*'),
    notPrincipals: list('cluster.local/ns/c/sa/curl', '*'),
    namespaces: list('a', 'b*', '*c'),
    notNamespaces: list('a', '*'),
    requestPrincipals: list('*', 'https://one.example/user', 'three/*'),
    notRequestPrincipals: list('*', 'three/user'),
    ipBlocks: list('10.0.0.0/8', '192.0.2.1', '2001:db8::/32'),
    notIpBlocks: list('10.1.0.0/16'),
  });
  const operation = filled({
    hosts: list('web.example', '*.example', 'api*', '*'),
    notHosts: list('web.example'),
    methods: list('GET', 'P*'),
    notMethods: list('DELETE'),
    paths: list('/', '/admin', '/admin*', '*.php', '/a/{*}/b/{**}', '/v1/a:b'),
    notPaths: list('/healthz', '/public*'),
    ports: list('8080', '9000', '5432'),
    notPorts: list('9100'),
  });
  const values = list('admin', 'ad*', '*min', '*', 'a*b', '"{{x}}"%REQ(a)%');
  const condition = fc.oneof(
    fc.record({ key: fc.constantFrom('request.headers[X-Role]', 'request.auth.claims[groups]'), values }),
    fc.record({ key: fc.constantFrom('request.headers[host]', 'connection.sni'), notValues: list('web.example') }),
    fc.record({ key: fc.constantFrom('destination.ip', 'source.ip'), values: list('10.1.0.2') }),
  );
  const rule = some({
    from: few(fc.record({ source })),
    to: few(fc.record({ operation })),
    when: few(condition),
  });
  const action = fc.constantFrom('ALLOW', 'DENY', 'AUDIT');
  return fc.tuple(selector, action, few(rule)).map(([selected, chosen, rules]) => {
    return { ...selected, action: chosen, rules };
  });
}

function gateway(): fc.Arbitrary<object> {
  const hosts = list('shop.example', '*.example', 'a/api.example', './shop.example', '*');
  const files = { serverCertificate: '/etc/certs/one.pem', privateKey: '/etc/certs/two.pem' };
  const ends = fc.constantFrom(
    { mode: 'SIMPLE', ...files },
    { mode: 'MUTUAL', ...files, caCertificates: '/etc/certs/one.pem' },
    { mode: 'SIMPLE', ...files, minProtocolVersion: 'TLSV1_3' },
    { mode: 'MESH_MUTUAL' },
  );
  const server = fc.oneof(
    fc.record({ port: fc.constantFrom(port(80), port(8081)), hosts }),
    fc.record({ port: fc.constant(port(80)), hosts, tls: fc.constant({ httpsRedirect: true }) }),
    fc.record({ port: fc.constant(port(443, 'HTTPS')), hosts, tls: ends }),
    fc.record({ port: fc.constant(port(443, 'TLS')), hosts, tls: fc.constant({ mode: 'PASSTHROUGH' }) }),
    fc.record({ port: fc.constant(port(9000, 'TCP')), hosts }),
  );
  const named = fc
    .array(server, { minLength: 1, maxLength: 3 })
    .map((servers) =>
      servers.map((entry, i) => ({ ...entry, port: { ...entry.port, name: `${entry.port.name}-${i}` } })),
    );
  return named.map((servers) => ({ selector: { mesh: 'ingressgateway' }, servers }));
}

function virtualService(): fc.Arbitrary<object> {
  const hosts = fc.constantFrom(
    ['web.a.svc.cluster.local'],
    ['api.b.svc.cluster.local'],
    ['shop.example'],
    ['*.example'],
    ['shop.example', 'api.example'],
  );
  const bound = fc.constantFrom({}, { gateways: ['a/o1'] }, { gateways: ['mesh', 'a/o1'] }, { gateways: ['a/o2'] });
  const scope = fc.constantFrom({}, {}, { exportTo: ['.'] }, { exportTo: ['*'] });
  const text = fc.constantFrom({ exact: '/x' }, { prefix: '/v1' }, { regex: '/[0-9]+' });
  const match = filled({
    uri: text,
    ignoreUriCase: fc.boolean(),
    method: fc.constant({ exact: 'GET' }),
    headers: fc.constantFrom({ 'x-user': { exact: 'a' } }, { 'x-user': {} }),
    queryParams: fc.constant({ q: { exact: '1' } }),
    sourceLabels: fc.constantFrom({ app: 'curl' }, { version: 'v1' }),
    sourceNamespace: fc.constantFrom('a', 'c'),
    port: fc.constantFrom(80, 9000),
  });
  const web = { host: 'web.a.svc.cluster.local', port: { number: 80 } };
  const api = { host: 'api.b.svc.cluster.local', port: { number: 80 } };
  const action = fc.constantFrom<object>(
    { route: [{ destination: web }] },
    { route: [{ destination: { host: 'api.example.com', port: { number: 80 } } }], timeout: '3s' },
    {
      route: [
        { destination: web, weight: 30 },
        { destination: api, weight: 70 },
      ],
    },
    { route: [{ destination: { ...web, subset: 'v1' } }], mirror: api },
    { redirect: { uri: '/else', redirectCode: 302 } },
    { directResponse: { status: 503, body: { string: 'closed' } } },
    { route: [{ destination: web }], rewrite: { uri: '/' }, headers: { request: { set: { 'x-a': 'b' } } } },
    { route: [{ destination: api }], fault: { abort: { httpStatus: 503, percentage: { value: 10 } } } },
    { route: [{ destination: web }], corsPolicy: { allowOrigins: [{ exact: 'https://shop.example' }] } },
  );
  const http = few(fc.tuple(some({ match: few(match) }), action).map(([matches, rest]) => ({ ...matches, ...rest })));
  const connections = fc.constantFrom<object>(
    { tcp: [{ route: [{ destination: { host: web.host, port: { number: 9000 } } }] }] },
    {
      tls: [{ match: [{ sniHosts: ['shop.example'] }], route: [{ destination: { ...api, port: { number: 8443 } } }] }],
    },
  );
  const routes = fc.oneof({ weight: 3, arbitrary: http.map((list) => ({ http: list })) }, connections);
  return fc.tuple(hosts, bound, scope, routes).map(([names, gateways, exported, rest]) => {
    return { hosts: 'tls' in rest ? ['shop.example'] : names, ...gateways, ...exported, ...rest };
  });
}

function port(number: number, protocol = 'HTTP') {
  return { number, name: protocol.toLowerCase(), protocol };
}

function list(...values: string[]): fc.Arbitrary<string[]> {
  return fc.subarray(values, { minLength: 1 });
}

function few<T>(entry: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(entry, { minLength: 1, maxLength: 2 });
}

function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(fields, { requiredKeys: [] });
}

function filled(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return some(fields).filter((value) => Object.keys(value).length > 0);
}
