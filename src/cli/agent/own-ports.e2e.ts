import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayOf, gatewayPod } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects } from './testing/sample-mesh.ts';

/** Names that resolve to loopback, in the way that `/etc/hosts` says it. */
const hosts = '127.0.0.1 localhost lo.example allowed.example\n';

/** Lets the program alone see the names. */
const withHosts =
  '[ -n "$HOSTS" ] || HOSTS=1 exec unshare --mount sh -c \'mount --bind hosts /etc/hosts && exec "$@"\' sh "$@"';

const entry = (name: string, port: number, rest: string): string => `apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: ${name}, namespace: foo}
spec:
  hosts: [${name}]
  ports: [{number: ${port}, name: http, protocol: HTTP}]
  ${rest}
`;

/** Ways to name a port of the proxy itself: the host of each service, and its port. */
const targets: readonly (readonly [string, number])[] = [15000, 15020, 15090, 15053, 15463].flatMap((port) => {
  // DNS and tokens are served on loopback alone: the address of an interface does not lead there.
  const ofInterfaces = port === 15053 || port === 15463 ? [] : ['own'];
  const names = ['alone', 'endpoint', 'workload', 'external', 'second', 'any', ...ofInterfaces];
  return names.map((name) => [`${name}-${port}.example`, port] as const);
});

const services = [15000, 15020, 15090, 15053, 15463].flatMap((port) => [
  entry(`endpoint-${port}.example`, port, 'resolution: DNS\n  endpoints: [{address: lo.example}]'),
  entry(`workload-${port}.example`, port, 'resolution: DNS\n  workloadSelector: {labels: {app: lo}}'),
  entry(`own-${port}.example`, port, 'resolution: STATIC\n  endpoints: [{address: 10.9.9.9}]'),
  entry(`second-${port}.example`, port, 'resolution: STATIC\n  endpoints: [{address: 127.0.0.2}]'),
  entry(`any-${port}.example`, port, 'resolution: STATIC\n  endpoints: [{address: 0.0.0.0}]'),
  entry(`alone-${port}.example`, port, 'resolution: DNS'),
  `apiVersion: v1
kind: Service
metadata: {name: external-${port}, namespace: foo}
spec: {type: ExternalName, externalName: lo.example, ports: [{name: http, port: ${port}}]}
`,
]);

const hostOf = (name: string): string =>
  name.startsWith('external-') ? name.replace('.example', '.foo.svc.cluster.local') : name;

const routes = `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: edge, namespace: foo}
spec:
  hosts: ["*"]
  gateways: [edge]
  http:
${[...targets, ['allowed.example', 15020] as const]
  .map(
    ([name, port]) => `  - match: [{headers: {x-to: {exact: ${name}}}}]
    route: [{destination: {host: ${hostOf(name)}, port: {number: ${port}}}}]
`,
  )
  .join('')}`;

describe('pilot-agent proxy router', () => {
  let proxy: ProxyProgram;

  beforeAll(async () => {
    const workload = `apiVersion: networking.mesh.io/v1alpha3
kind: WorkloadEntry
metadata: {name: lo, namespace: foo, labels: {app: lo}}
spec: {address: lo.example}
`;
    const gateway = gatewayOf('{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}');
    const allowed = entry('allowed.example', 15020, 'resolution: DNS');
    proxy = await ProxyProgram.create(objects(gatewayPod, gateway, workload, allowed, ...services, routes));
    // The names of each of the host-only entries lead to loopback too.
    await proxy.write('hosts', hosts + targets.map(([name]) => `127.0.0.1 ${name}\n`).join(''));
    await proxy.write('mesh.yaml', 'allowedProxyPortHosts: [allowed.example]\n');
    const args = ['--policies', 'mesh', '--meshConfig', 'mesh.yaml', '--stsPort', '15463'];
    const environment = { DNS_AGENT: 'true', STS_LENIENT: 'true' };
    const prepare = `ip address add 10.9.9.9/32 dev lo && ${withHosts}`;
    proxy.start({ role: 'router', args, environment, prepare });
    await proxy.logged('state=running');
    await proxy.untilReady();
  });
  afterAll(() => proxy?.close());

  const ask = (name: string, path: string, ...flags: readonly string[]) =>
    proxy.curl(`http://127.0.0.1:8080${path}`, '-H', `x-to: ${name}`, ...flags);

  test('gives remote callers no access to its own ports, whatever name or address leads to them', () => {
    for (const [name] of targets) {
      expect(ask(name, '/server_info').status, name).toBe(503);
      expect(ask(name, '/stats/prometheus').status, name).toBe(503);
    }
    expect(ask('endpoint-15020.example', '/quitquitquit', '-X', 'POST').status).toBe(503);
  });

  test('serves the host that the mesh configuration allows, whose name leads to the same place', () => {
    expect(ask('allowed.example', '/stats/prometheus').status).toBe(200);
  });

  test('still runs, and has said which endpoints it does not dial', () => {
    expect(proxy.curl('http://127.0.0.1:15021/healthz/ready').status).toBe(200);
    for (const [name] of targets) expect(proxy.output).toContain(`of "${hostOf(name)}" is left out`);
  });
});
