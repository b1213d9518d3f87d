import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject } from '../source/document.ts';
import { meshTopology } from '../testing/generated-mesh.ts';
import { policyFiles } from '../testing/generated-policies.ts';
import { createCompiler } from './compile.ts';

const topology = meshTopology();
const compiler = createCompiler({ settings: defaultSettings });

const simple = { tls: { mode: 'SIMPLE' } };
const mutual = { tls: { mode: 'MUTUAL', clientCertificate: '/a.pem', privateKey: '/a.key' } };
const byHeader = { loadBalancer: { consistentHash: { httpHeaderName: 'x-user' } } };
const byCookie = { loadBalancer: { consistentHash: { httpCookie: { name: 'user' } } } };
const eu = { from: 'eu', to: { 'eu/*': 100 } };
const outliers = { outlierDetection: { consecutive5xxErrors: 3 } };

/** For each field of a traffic policy a value that is no default, and the policy that it is added to. */
const samples: Readonly<Record<string, readonly [value: unknown, base?: object]>> = {
  'connectionPool.tcp.maxConnections': [7],
  'connectionPool.tcp.connectTimeout': ['3s'],
  'connectionPool.tcp.tcpKeepalive.probes': [3],
  'connectionPool.tcp.tcpKeepalive.time': ['60s'],
  'connectionPool.tcp.tcpKeepalive.interval': ['5s'],
  'connectionPool.tcp.maxConnectionDuration': ['1h'],
  'connectionPool.tcp.idleTimeout': ['2m'],
  'connectionPool.http.http1MaxPendingRequests': [7],
  'connectionPool.http.http2MaxRequests': [7],
  'connectionPool.http.maxRequestsPerConnection': [7],
  'connectionPool.http.maxRetries': [7],
  'connectionPool.http.idleTimeout': ['2m'],
  'connectionPool.http.h2UpgradePolicy': ['UPGRADE'],
  'connectionPool.http.useClientProtocol': [true],
  'connectionPool.http.maxConcurrentStreams': [7, { connectionPool: { http: { h2UpgradePolicy: 'UPGRADE' } } }],
  'loadBalancer.simple': ['RANDOM'],
  'loadBalancer.consistentHash.httpHeaderName': ['x-user'],
  'loadBalancer.consistentHash.httpCookie.name': ['user'],
  'loadBalancer.consistentHash.httpCookie.path': ['/shop', byCookie],
  'loadBalancer.consistentHash.httpCookie.ttl': ['10s', byCookie],
  'loadBalancer.consistentHash.useSourceIp': [true],
  'loadBalancer.consistentHash.httpQueryParameterName': ['user'],
  'loadBalancer.consistentHash.minimumRingSize': [7, byHeader],
  'loadBalancer.consistentHash.ringHash.minimumRingSize': [7, byHeader],
  'loadBalancer.consistentHash.maglev.tableSize': [101, byHeader],
  'loadBalancer.localityLbSetting.enabled': [false, outliers],
  'loadBalancer.localityLbSetting.distribute': [[eu]],
  'loadBalancer.localityLbSetting.failover': [[{ from: 'eu', to: 'us' }]],
  'loadBalancer.localityLbSetting.failoverPriority': [['topology.kubernetes.io/region']],
  'loadBalancer.warmupDurationSecs': ['10s'],
  'outlierDetection.consecutiveErrors': [7],
  'outlierDetection.consecutive5xxErrors': [7],
  'outlierDetection.consecutiveGatewayErrors': [7],
  'outlierDetection.consecutiveLocalOriginFailures': [
    7,
    { outlierDetection: { splitExternalLocalOriginErrors: true } },
  ],
  'outlierDetection.splitExternalLocalOriginErrors': [true],
  'outlierDetection.interval': ['3s', outliers],
  'outlierDetection.baseEjectionTime': ['3s', outliers],
  'outlierDetection.maxEjectionPercent': [7, outliers],
  'outlierDetection.minHealthPercent': [7, outliers],
  'tls.mode': ['DISABLE'],
  'tls.clientCertificate': ['/b.pem', mutual],
  'tls.privateKey': ['/b.key', mutual],
  'tls.caCertificates': ['/ca.pem', simple],
  'tls.caCrl': ['/crl.pem', { tls: { mode: 'SIMPLE', caCertificates: '/ca.pem' } }],
  'tls.credentialName': ['secret', simple],
  'tls.subjectAltNames': [['one.example.com'], simple],
  'tls.sni': ['one.example.com', simple],
  'tls.insecureSkipVerify': [true, simple],
};

describe('trafficPolicy', () => {
  test('has a sample of every field of its schema', () => {
    expect(Object.keys(samples).sort()).toEqual(fieldsOfSchema().sort());
  });

  test.each(Object.entries(samples))('%s changes the output or is named', (path, [value, base = {}]) => {
    const before = compiled(base);
    const after = compiled(withField(base as JsonObject, path.split('.'), value));
    const isNamed = after.named.some((place) => !before.named.includes(place));
    expect(after.output !== before.output || isNamed).toBe(true);
  });
});

/** What a client of HTTP, TCP and detected ports gets under the policy, and the messages about it. */
function compiled(trafficPolicy: object): { output: string; named: string[] } {
  const isEmpty = Object.keys(trafficPolicy).length === 0;
  const spec = { host: 'web', ...(isEmpty ? {} : { trafficPolicy }) };
  const files = policyFiles([{ kind: 'DestinationRule', metadata: { name: 'web', namespace: 'a' }, spec }]);
  const bag = new DiagnosticBag();
  const compilation = compiler.compile([topology, ...files], [{ namespace: 'a', name: 'curl' }], bag);
  const resources = compilation?.configs.flatMap(({ clusters, routes, listeners }) => [clusters, routes, listeners]);
  const named = bag.all.filter(({ span }) => span?.file === '0.yaml').map(({ message }) => message);
  const texts = (resources ?? []).flat().map(({ text }) => text);
  return { output: texts.join('\n'), named };
}

function withField(base: JsonObject, [key = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = (base[key] ?? {}) as JsonObject;
  return { ...base, [key]: rest.length === 0 ? (value as JsonObject) : withField(inner, rest, value) };
}

/** Paths of the fields of the four blocks that are no objects, but for those that are refused by name. */
function fieldsOfSchema(): string[] {
  const definitions = JSON.parse(readFileSync('schemas/common.json', 'utf8')).$defs;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON Schema
  const below = (schema: any, path: string): string[] => {
    const name = schema.$ref?.split('/').at(-1);
    const { properties, 'x-unsupported': isRefused } = name === undefined ? schema : definitions[name];
    if (isRefused !== undefined) return [];
    if (properties === undefined) return [path];
    return Object.entries(properties).flatMap(([key, value]) => below(value, `${path}.${key}`));
  };
  const blocks = { connectionPool: 1, loadBalancer: 1, outlierDetection: 1, tls: 'clientTls' };
  return Object.entries(blocks).flatMap(([block, name]) =>
    below({ $ref: `#/$defs/${name === 1 ? block : name}` }, block),
  );
}
