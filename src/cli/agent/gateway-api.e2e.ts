import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects } from './testing/sample-mesh.ts';

const gateway = objects(
  `apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {gateway.networking.k8s.io/gateway-name: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 127.0.0.1}
`,
  `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: foo}
spec: {gatewayClassName: mesh, listeners: [{name: http, port: 8080, protocol: HTTP}]}
`,
);

const route = (path: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: moved, namespace: foo}
spec:
  parentRefs: [{name: edge}]
  rules:
  - matches: [{path: {type: Exact, value: ${path}}}]
    filters: [{type: RequestRedirect, requestRedirect: {hostname: new.example.com}}]
`;

const policy = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: closed, namespace: foo}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]
  action: DENY
  rules: [{to: [{operation: {paths: [/secret]}}]}]
`;

describe('pilot-agent proxy router with objects of the Gateway API', () => {
  const started: ProxyProgram[] = [];
  afterEach(async () => {
    for (const proxy of started.splice(0)) await proxy.close();
  });

  async function start(environment: Readonly<Record<string, string>>, text = ''): Promise<ProxyProgram> {
    const proxy = await ProxyProgram.create(gateway);
    started.push(proxy);
    await proxy.write('mesh/more.yaml', text);
    proxy.start({ role: 'router', environment });
    return proxy;
  }

  async function expectNotStarted(proxy: ProxyProgram): Promise<void> {
    expect(await proxy.exit).toBe(1);
    expect(proxy.output).not.toContain('Envoy started');
  }

  test('serves a Gateway, its route and its policy, and a change of the route', async () => {
    const proxy = await start({ PILOT_ENABLED_SERVICE_APIS: 'true' }, objects(route('/old'), policy));
    await proxy.untilReady();
    const statusOf = (path: string) => proxy.curl(`http://127.0.0.1:8080${path}`).status;
    expect(['/old', '/older', '/secret'].map(statusOf)).toEqual([302, 404, 403]);
    await proxy.write('mesh/more.yaml', objects(route('/older'), policy));
    await eventually(() => expect(['/old', '/older', '/secret'].map(statusOf)).toEqual([404, 302, 403]));
  });

  test('does not start with a policy that names a Gateway where the objects are skipped', async () => {
    const proxy = await start({}, objects(route('/old'), policy));
    await proxy.logged('"targetRefs" is not supported: it names objects of the Gateway API, which are skipped here');
    await proxy.logged('PILOT_ENABLED_SERVICE_APIS=true');
    await expectNotStarted(proxy);
  });

  test('does not start with a value that says neither yes nor no', async () => {
    const proxy = await start({ PILOT_ENABLED_SERVICE_APIS: 'on' });
    await proxy.logged('variable PILOT_ENABLED_SERVICE_APIS is "on", expected "true" or "false"');
    await expectNotStarted(proxy);
  });

  test.each([
    ['on', 1],
    ['', 0],
  ])('starts Envoy as a client of meshd, whatever is said of the objects: "%s"', async (value, warnings) => {
    const proxy = await ProxyProgram.create(gateway);
    started.push(proxy);
    await proxy.write('mesh.yaml', 'defaultConfig: {discoveryAddress: "127.0.0.1:1"}\n');
    const environment = { INSTANCE_IP: '127.0.0.1', PILOT_ENABLED_SERVICE_APIS: value };
    proxy.start({ role: 'router', args: ['--meshConfig', 'mesh.yaml'], environment });
    await proxy.logged('Envoy started');
    const warning = 'PILOT_ENABLED_SERVICE_APIS has no effect on an agent that gets its configuration from meshd';
    expect(proxy.output.split(warning)).toHaveLength(warnings + 1);
  });
});
