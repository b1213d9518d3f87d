import fc from 'fast-check';
import { stringify } from 'yaml';
import type { SourceFile } from '../source/document.ts';
import { hosts } from './generated-mesh.ts';

const httpHosts = ['web.a.svc.cluster.local', 'api.b.svc.cluster.local', 'legacy.plain.svc.cluster.local'];
const routedHosts = [...httpHosts, 'api.example.com', '*.b.svc.cluster.local', 'shop.example.net', '192.0.2.9'];

/** Every field may be absent. */
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) => fc.record(fields, { requiredKeys: [] });
const share = fc.record({ value: fc.constantFrom(0, 0.0001, 12.5, 100) });
const duration = fc.constantFrom('1ms', '1.5s', '2m');
const path = fc.constantFrom('/', '/a', '/a/', '/A.b(c', '/x y', '/é', '/%41');
const regex = fc.constantFrom('*', '.*', '/[a-z]+', '(?i)/a.*', '^/a|/b$', '\\d{1,3}');
const text = fc.oneof(fc.record({ exact: path }), fc.record({ prefix: path }), fc.record({ regex }));
const valueText = fc.oneof(text, fc.constant({}));
const conditions = fc.dictionary(fc.constantFrom('x-user', 'X-Other', 'cookie', ':method'), valueText, { maxKeys: 3 });

const match = some({
  name: fc.constantFrom('m', 'n.o'),
  uri: text,
  method: fc.record({ exact: fc.constantFrom('GET', 'POST') }),
  scheme: fc.record({ exact: fc.constant('http') }),
  authority: text,
  headers: conditions,
  withoutHeaders: conditions,
  queryParams: fc.dictionary(fc.constantFrom('q', 'page'), valueText, { maxKeys: 2 }),
  port: fc.constantFrom(80, 8000),
  ignoreUriCase: fc.boolean(),
  sourceLabels: fc.constant({ app: 'curl' }),
  sourceNamespace: fc.constantFrom('a', 'b'),
  gateways: fc.constant(['mesh']),
  statPrefix: fc.constantFrom('s', 's.t'),
});

const changes = some({
  set: fc.dictionary(fc.constantFrom('x-a', 'X-B', 'x-forwarded-proto'), fc.constantFrom('', '1', '100%%', '%REQ(x)%')),
  add: fc.dictionary(fc.constantFrom('x-a', 'x-c'), fc.constantFrom('', 'v', '%PROTOCOL%')),
  remove: fc.array(fc.constantFrom('x-a', 'X-D', 'server'), { maxLength: 2 }),
});
const headers = some({ request: changes, response: changes });

const destination = fc.constantFrom(...httpHosts).chain((host) => {
  const port = hosts.find((one) => one.host === host)?.ports[0] ?? 80;
  return fc.record(
    { host: fc.constant(host), port: fc.constant({ number: port }), subset: fc.constantFrom('v1', 'v2') },
    { requiredKeys: ['host', 'port'] },
  );
});

const forwarding = fc
  .tuple(
    fc.array(fc.record({ destination, weight: fc.nat(100), headers }, { requiredKeys: ['destination', 'weight'] }), {
      minLength: 1,
      maxLength: 3,
    }),
    some({
      rewrite: fc.oneof(
        fc.record({ uri: path }),
        fc.record({ authority: fc.constant('x.example') }),
        fc.record({ uriRegexRewrite: fc.constant({ match: '^/(a)(.*)$', rewrite: '/\\2\\\\/\\1' }) }),
      ),
      timeout: duration,
      retries: fc.oneof(
        fc.constant({ attempts: 0 }),
        fc.record({
          attempts: fc.constantFrom(1, 9),
          perTryTimeout: duration,
          retryOn: fc.constantFrom('5xx', '503,409'),
        }),
        fc.record({ attempts: fc.constant(2), backoff: duration, retryRemoteLocalities: fc.boolean() }),
      ),
      fault: fc.oneof(
        fc.record({ delay: fc.record({ fixedDelay: duration, percentage: share }) }),
        fc.record({ abort: fc.record({ httpStatus: fc.constantFrom(200, 418, 599), percentage: share }) }),
        fc.record({ abort: fc.record({ grpcStatus: fc.constantFrom('OK', 'UNAUTHENTICATED'), percentage: share }) }),
      ),
      mirror: destination,
      mirrorPercentage: share,
    }),
  )
  .map(([route, fields]) => ({ route: [{ ...route[0], weight: 1 }, ...route.slice(1)], ...fields }));

const action = fc.oneof(
  { weight: 4, arbitrary: forwarding },
  {
    weight: 1,
    arbitrary: some({ scheme: fc.constant('https'), uri: path, redirectCode: fc.constantFrom(302, 308) }).map(
      (redirect) => ({ redirect: { authority: 'r.example', ...redirect } }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', 'hi', 'é'.repeat(4000))
      .map((string) => ({ directResponse: { status: 200, body: { string } } })),
  },
);

const corsPolicy = some({
  allowOrigins: fc.array(fc.oneof(fc.constant({ exact: 'https://a' }), fc.constant({ regex: 'https://.*' })), {
    maxLength: 2,
  }),
  allowMethods: fc.constant(['GET', '*']),
  maxAge: fc.constantFrom('0s', '24h'),
  allowCredentials: fc.boolean(),
});

const httpRoute = fc
  .tuple(
    action,
    some({ name: fc.constantFrom('r', ''), match: fc.array(match, { maxLength: 3 }), headers, corsPolicy }),
  )
  .map(([chosen, fields]) => ({ ...fields, ...chosen }));

const spec = fc.record(
  {
    hosts: fc.constantFrom(...routedHosts).map((host) => [host]),
    exportTo: fc.constantFrom(['*'], ['.'], ['a']),
    http: fc.array(httpRoute, { minLength: 1, maxLength: 4 }),
    tcp: fc.array(
      fc.record({
        match: fc.array(some({ destinationSubnets: fc.constant(['10.96.0.0/12']), port: fc.constant(9000) }), {
          maxLength: 2,
        }),
        route: fc.array(fc.record({ destination, weight: fc.constant(1) }), { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['hosts', 'http'] },
);

/** VirtualServices without faults, for the fixed mesh of `meshTopology`. */
export function virtualServices(): fc.Arbitrary<readonly object[]> {
  return fc.array(spec, { minLength: 1, maxLength: 4 });
}

/** The same as one file of objects of namespace `a`. */
export function routeFile(specs: readonly object[]): SourceFile {
  const objects = specs.map((one, i) => ({
    apiVersion: 'networking.mesh.io/v1alpha3',
    kind: 'VirtualService',
    metadata: { name: `v-${i}`, namespace: 'a' },
    spec: one,
  }));
  return { path: 'routes.yaml', text: objects.map((object) => stringify(object)).join('---\n') };
}
