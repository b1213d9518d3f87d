import fc from 'fast-check';
import { stringify } from 'yaml';
import type { SourceFile } from '../source/document.ts';

/** A policy object as a test writes it. */
export interface GeneratedPolicy {
  readonly kind: 'PeerAuthentication' | 'DestinationRule';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly creationTimestamp?: string };
  // biome-ignore lint/suspicious/noExplicitAny: specs of several kinds, broken on purpose by some tests
  readonly spec: any;
}

const apiVersions = {
  PeerAuthentication: 'security.mesh.io/v1beta1',
  DestinationRule: 'networking.mesh.io/v1alpha3',
} as const;

/** One policy as YAML text in a file of its own: `0.yaml` and so on, by its place in the list. */
export function policyFiles(policies: readonly GeneratedPolicy[]): SourceFile[] {
  return policies.map((policy, i) => ({
    path: `${i}.yaml`,
    text: stringify({ apiVersion: apiVersions[policy.kind], ...policy }),
  }));
}

/** Several policies of both kinds, with names that differ. */
export function policies(): fc.Arbitrary<GeneratedPolicy[]> {
  return fc
    .array(fc.oneof(peerAuthentication(), destinationRule()), { minLength: 1, maxLength: 6 })
    .map((list) =>
      list.map(({ metadata, ...rest }, i) => ({ ...rest, metadata: { name: `p${(i * 7) % 10}`, ...metadata } })),
    );
}

type Unnamed = Omit<GeneratedPolicy, 'metadata'> & { metadata: Omit<GeneratedPolicy['metadata'], 'name'> };

function peerAuthentication(): fc.Arbitrary<Unnamed> {
  const mode = fc.constantFrom('STRICT', 'PERMISSIVE', 'DISABLE', 'UNSET');
  const port = fc.constantFrom('8080', '9000', '9100', '5432', '80', '7777');
  const whole = partial({ mtls: fc.record({ mode }) });
  const selecting = partial({ mtls: fc.record({ mode }), portLevelMtls: dictionary(port, fc.record({ mode })) }).chain(
    (spec) => labels().map((matchLabels) => ({ ...spec, selector: { matchLabels } })),
  );
  const spec = fc.oneof(whole, selecting);
  const metadata = metadataOf('mesh-system', 'a', 'a', 'b', 'b', 'plain', 'c');
  return fc.record({ kind: fc.constant('PeerAuthentication' as const), metadata, spec });
}

function destinationRule(): fc.Arbitrary<Unnamed> {
  const host = fc.constantFrom(
    'web',
    'api',
    'web.a.svc.cluster.local',
    'web.a.svc.cluster.local',
    'api.b.svc.cluster.local',
    'db.b.svc.cluster.local',
    'mixed.b.svc.cluster.local',
    'legacy.plain.svc.cluster.local',
    '*.b.svc.cluster.local',
    '*.local',
    'api.example.com',
    '*.wild.example.com',
    '*.example.com',
  );
  const scope = fc.oneof(
    fc.constant({}),
    fc.record({ exportTo: fc.constantFrom(['*'], ['.'], ['a'], ['b', 'c'], ['mesh-system']) }),
    labels().map((matchLabels) => ({ workloadSelector: { matchLabels } })),
  );
  const subset = fc
    .tuple(fc.constantFrom('v1', 'v2', 'none'), partial({ trafficPolicy: trafficPolicy() }))
    .map(([name, policy]) => ({ name, labels: { version: name }, ...policy }));
  const subsets = fc.uniqueArray(subset, { minLength: 1, maxLength: 2, selector: ({ name }) => name });
  const spec = fc
    .tuple(host, scope, partial({ trafficPolicy: trafficPolicy(), subsets }))
    .map(([name, visible, rest]) => ({ host: name, ...visible, ...rest }));
  const metadata = metadataOf('mesh-system', 'a', 'a', 'a', 'b', 'b', 'c');
  return fc.record({ kind: fc.constant('DestinationRule' as const), metadata, spec });
}

function trafficPolicy() {
  const number = fc.constantFrom(80, 9000, 9100, 8443, 5432, 8000, 443, 53, 7777);
  const entry = fc.tuple(number, filled(blocks)).map(([port, rest]) => ({ port: { number: port }, ...rest }));
  const portLevelSettings = fc.uniqueArray(entry, { minLength: 1, maxLength: 2, selector: ({ port }) => port.number });
  return filled({ ...blocks, portLevelSettings });
}

const duration = fc.constantFrom('1s', '250ms', '2m');
const count = fc.integer({ min: 1, max: 1000 });
const file = fc.constantFrom('/etc/certs/one.pem', '/etc/certs/two.pem');
const names = fc.constantFrom(['spiffe://cluster.local/ns/b/sa/api'], ['one.example.com', 'two.example.com']);

const server = { sni: fc.constantFrom('one.example.com', 'two.example.com'), subjectAltNames: names };

const tls = fc.oneof(
  fc.record({ mode: fc.constant('DISABLE') }),
  partial(server).map((rest) => ({ mode: 'MESH_MUTUAL', ...rest })),
  partial({ ...server, caCertificates: file }).map((rest) => ({ mode: 'SIMPLE', ...rest })),
  partial({ sni: server.sni }).map((rest) => ({ mode: 'SIMPLE', insecureSkipVerify: true, ...rest })),
  fc
    .tuple(fc.record({ clientCertificate: file, privateKey: file }), partial({ ...server, caCertificates: file }))
    .map(([pair, rest]) => ({ mode: 'MUTUAL', ...pair, ...rest })),
);

const connectionPool = filled({
  tcp: filled({ maxConnections: count, connectTimeout: duration, tcpKeepalive: filled({ probes: count }) }),
  http: filled({
    http1MaxPendingRequests: count,
    http2MaxRequests: count,
    maxRequestsPerConnection: count,
    maxRetries: count,
    idleTimeout: duration,
    h2UpgradePolicy: fc.constantFrom('UPGRADE', 'DO_NOT_UPGRADE'),
  }),
});

const loadBalancer = fc.oneof(
  fc.record({ simple: fc.constantFrom('ROUND_ROBIN', 'LEAST_REQUEST', 'LEAST_CONN', 'RANDOM', 'PASSTHROUGH') }),
  fc.record({
    consistentHash: fc.oneof(
      fc.record({ httpHeaderName: fc.constant('x-user'), minimumRingSize: count }),
      fc.record({ useSourceIp: fc.constant(true) }),
      fc.record({ httpCookie: fc.record({ name: fc.constant('user'), ttl: duration }) }),
    ),
  }),
);

const outlierDetection = filled({
  consecutive5xxErrors: count,
  consecutiveGatewayErrors: count,
  interval: duration,
  baseEjectionTime: duration,
  maxEjectionPercent: fc.integer({ min: 1, max: 100 }),
});

const blocks = { tls, connectionPool, loadBalancer, outlierDetection };

function labels(): fc.Arbitrary<Record<string, string>> {
  return fc.constantFrom<Record<string, string>>(
    { app: 'web' },
    { app: 'web', version: 'v1' },
    { version: 'v1' },
    { app: 'api' },
    { app: 'db' },
    { app: 'mixed' },
    { app: 'curl' },
    { app: 'nobody' },
  );
}

function metadataOf(...namespaces: string[]) {
  const creationTimestamp = fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z');
  return fc
    .tuple(fc.constantFrom(...namespaces), partial({ creationTimestamp }))
    .map(([namespace, created]) => ({ namespace, ...created }));
}

function dictionary<T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>) {
  return fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 }).map((entries) => ({ ...entries }));
}

/** Any of the fields, also none. */
function partial<T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<{
    [K in keyof T]?: T[K] extends fc.Arbitrary<infer V> ? V : never;
  }>;
}

/** At least one of the fields. */
function filled<T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) {
  return partial(fields).filter((value) => Object.keys(value).length > 0);
}
