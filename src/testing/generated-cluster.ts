import fc from 'fast-check';

/** An object that says who there is, as a test writes it: beside the fixed mesh, or in the place of one of its objects. */
export function clusterObject(): fc.Arbitrary<object> {
  return fc.oneof<fc.WeightedArbitrary<object>[]>(
    { weight: 3, arbitrary: service() },
    { weight: 4, arbitrary: pod() },
    { weight: 3, arbitrary: endpoints() },
    { weight: 2, arbitrary: serviceEntry() },
    { weight: 2, arbitrary: machine() },
    { weight: 1, arbitrary: controller() },
    { weight: 1, arbitrary: namespaceObject() },
    { weight: 1, arbitrary: proxyConfig() },
    { weight: 1, arbitrary: secret() },
    { weight: 1, arbitrary: widePolicy() },
  );
}

const namespace = fc.constantFrom('a', 'a', 'b', 'c', 'plain');
const createdAt = fc.constantFrom({}, { creationTimestamp: '2024-01-01T00:00:00Z' });
const labels = fc.constantFrom<Record<string, string>>(
  { app: 'web', version: 'v1' },
  { app: 'web', version: 'v2' },
  { app: 'api' },
  { app: 'late', 'mesh-locality': 'eu.west' },
  { app: 'db' },
);
const selector = fc.constantFrom({ app: 'web' }, { app: 'late' }, { app: 'api' }, { version: 'v1' });
const address = fc.constantFrom('10.1.0.2', '10.1.0.3', '10.1.0.9', '10.1.0.20');

function service(): fc.Arbitrary<object> {
  const ports = fc.subarray(
    [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'tcp', port: 9000 },
      { name: 'named', port: 9100, targetPort: 'web', appProtocol: 'http' },
      { name: 'detected', port: 8000 },
    ],
    { minLength: 1 },
  );
  const clusterIP = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('None', '10.96.5.1', '10.96.5.2') },
    fc.constant('not an address'),
  );
  const plain = fc.record({ clusterIP, selector, ports });
  const others = fc.oneof(
    fc.record({ clusterIP, ports }),
    fc.constantFrom('web.a.svc.cluster.local', 'db.example.com', 'late.b.svc.cluster.local').map((externalName) => {
      return { type: 'ExternalName', externalName };
    }),
  );
  const annotations = fc.constantFrom({}, {}, { annotations: { 'networking.mesh.io/exportTo': 'b' } });
  return fc
    .tuple(names('web', 'api', 'late', 'db'), annotations, fc.oneof({ weight: 3, arbitrary: plain }, others))
    .map(([metadata, rest, spec]) => ({
      ...{ apiVersion: 'v1', kind: 'Service' },
      ...{ metadata: { ...metadata, ...rest }, spec },
    }));
}

function pod(): fc.Arbitrary<object> {
  const annotations = fc.constantFrom<Record<string, string>>(
    ...Array.from({ length: 8 }, () => ({})),
    { 'sidecar.mesh.io/inject': 'false' },
    { 'sidecar.mesh.io/interceptionMode': 'TPROXY' },
    { 'sidecar.mesh.io/interceptionMode': 'NEITHER' },
  );
  const account = fc.constantFrom({}, { serviceAccountName: 'web' }, { serviceAccountName: 'late' });
  const container = fc.constantFrom({ name: 'app' }, { name: 'app', ports: [{ name: 'web', containerPort: 9100 }] });
  const ready = fc.constantFrom('True', 'False');
  const podIP = fc.oneof({ weight: 20, arbitrary: address }, fc.constantFrom('2001:db8::9', 'not an address'));
  return fc
    .tuple(names('web-1', 'api', 'late-1', 'late-2'), labels, annotations, account, container, ready, podIP)
    .map(([metadata, own, annotated, spec, app, status, ip]) => ({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { ...metadata, labels: own, annotations: annotated },
      spec: { ...spec, containers: [app] },
      status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status }] },
    }));
}

function endpoints(): fc.Arbitrary<object> {
  const ports = fc.constantFrom(
    [{ name: 'http', port: 8080 }],
    [{ name: 'tcp', port: 9000 }],
    [
      { name: 'http', port: 8081 },
      { name: 'tcp', port: 9000 },
    ],
  );
  const target = fc.constantFrom(undefined, { kind: 'Pod', name: 'web-1' }, { kind: 'Pod', name: 'late-1' });
  const recorded = fc.constantFrom(
    ['web', 'a'] as const,
    ['web', 'a'] as const,
    ['api', 'b'] as const,
    ['late', 'a'] as const,
  );
  const slice = fc
    .tuple(recorded, ports, fc.uniqueArray(address), target, fc.boolean())
    .map(([[of, where], served, addresses, targetRef, ready]) => ({
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4', ports: served },
      metadata: { name: `${of}-x`, namespace: where, labels: { 'kubernetes.io/service-name': of } },
      endpoints: addresses.map((ip) => ({ addresses: [ip], conditions: { ready }, ...(targetRef && { targetRef }) })),
    }));
  const whole = fc
    .tuple(fc.constantFrom('late', 'db'), namespace, ports, address, fc.boolean())
    .map(([name, where, served, ip, ready]) => ({
      ...{ apiVersion: 'v1', kind: 'Endpoints', metadata: { name, namespace: where } },
      subsets: [{ [ready ? 'addresses' : 'notReadyAddresses']: [{ ip }], ports: served }],
    }));
  return fc.oneof({ weight: 2, arbitrary: slice }, whole);
}

function serviceEntry(): fc.Arbitrary<object> {
  const hosts = fc.constantFrom(
    ['late.example.com'],
    ['api.example.com'],
    ['late.b.svc.cluster.local'],
    ['one.example.com', '*.two.example.com'],
  );
  const ports = fc.subarray(
    [
      { number: 80, name: 'http', protocol: 'HTTP' },
      { number: 443, name: 'tls', protocol: 'TLS' },
    ],
    { minLength: 1 },
  );
  const how = fc.constantFrom<object>(
    { resolution: 'DNS' },
    { resolution: 'NONE', addresses: ['10.96.5.1', '192.0.2.0/24'] },
    { resolution: 'STATIC', endpoints: [{ address: '10.1.0.20', labels: { version: 'v1' } }] },
    { resolution: 'STATIC', workloadSelector: { labels: { app: 'late' } }, location: 'MESH_INTERNAL' },
  );
  const scope = fc.constantFrom({}, { exportTo: ['.'] }, { exportTo: ['b', 'nowhere'] });
  return fc.tuple(names('one', 'o1'), hosts, ports, how, scope).map(([metadata, named, served, rest, exported]) => ({
    ...{ apiVersion: 'networking.mesh.io/v1alpha3', kind: 'ServiceEntry', metadata },
    spec: { hosts: named, ports: served, ...rest, ...exported },
  }));
}

/** A WorkloadEntry or the group of some. */
function machine(): fc.Arbitrary<object> {
  const spec = fc
    .tuple(address, labels, fc.constantFrom({}, { locality: 'eu/west' }, { serviceAccount: 'vm' }))
    .map(([ip, own, rest]) => ({ address: ip, labels: own, ...rest }));
  const annotations = fc.constantFrom({}, { annotations: { 'mesh.io/autoRegistrationGroup': 'group' } });
  const entry = fc.tuple(names('vm-1', 'vm-2'), annotations, spec).map(([metadata, rest, own]) => ({
    ...{ apiVersion: 'networking.mesh.io/v1alpha3', kind: 'WorkloadEntry' },
    ...{ metadata: { ...metadata, ...rest }, spec: own },
  }));
  const group = fc.tuple(names('group'), labels, spec).map(([metadata, own, { address: _address, ...template }]) => ({
    ...{ apiVersion: 'networking.mesh.io/v1alpha3', kind: 'WorkloadGroup', metadata },
    spec: { metadata: { labels: own }, template },
  }));
  return fc.oneof({ weight: 2, arbitrary: entry }, group);
}

function controller(): fc.Arbitrary<object> {
  return fc.tuple(names('late', 'web'), labels).map(([metadata, own]) => ({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
    spec: { selector: { matchLabels: own }, template: { metadata: { labels: own }, spec: { containers: [] } } },
  }));
}

function namespaceObject(): fc.Arbitrary<object> {
  const own = fc.constantFrom({}, { 'mesh-injection': 'enabled' }, { 'mesh-injection': 'disabled' });
  return fc.tuple(fc.constantFrom('a', 'b', 'c', 'plain'), own).map(([name, rest]) => ({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: rest } },
  }));
}

function proxyConfig(): fc.Arbitrary<object> {
  const spec = fc.constantFrom<object>(
    { concurrency: 2 },
    { concurrency: 0, selector: { matchLabels: { app: 'web' } } },
    { environmentVariables: { MESH_META_X: 'y' }, selector: { matchLabels: { app: 'nobody' } } },
  );
  const metadata = fc.tuple(fc.constantFrom('mesh-system', 'a', 'b'), fc.constantFrom('o0', 'o1'));
  return fc.tuple(metadata, spec).map(([[where, name], own]) => ({
    ...{ apiVersion: 'networking.mesh.io/v1beta1', kind: 'ProxyConfig', metadata: { name, namespace: where } },
    spec: own,
  }));
}

/** A policy by which clients of all namespaces are told apart, or which makes gateways of workloads without a proxy. */
function widePolicy(): fc.Arbitrary<object> {
  const metadata = fc.constantFrom({ name: 'wide', namespace: 'a' }, { name: 'wide', namespace: 'b' });
  const spec = fc.constantFrom<readonly [kind: string, spec: object]>(
    [
      'DestinationRule',
      {
        host: 'web.a.svc.cluster.local',
        trafficPolicy: {
          outlierDetection: { consecutive5xxErrors: 3 },
          loadBalancer: { localityLbSetting: { failoverPriority: ['version'] } },
        },
      },
    ],
    [
      'Gateway',
      { selector: { app: 'mixed' }, servers: [{ port: { number: 80, name: 'h', protocol: 'HTTP' }, hosts: ['*'] }] },
    ],
  );
  return fc.tuple(metadata, spec).map(([meta, [kind, own]]) => ({
    ...{ apiVersion: 'networking.mesh.io/v1alpha3', kind, metadata: meta, spec: own },
  }));
}

function secret(): fc.Arbitrary<object> {
  return fc.constantFrom('mesh-system', 'a').map((where) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name: 'one', namespace: where } },
    data: {},
  }));
}

function names(...all: string[]): fc.Arbitrary<object> {
  return fc
    .tuple(fc.constantFrom(...all), namespace, createdAt)
    .map(([name, where, created]) => ({ name, namespace: where, ...created }));
}
