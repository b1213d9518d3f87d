import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { DiscoveredProxy } from './testing/discovered-proxy.ts';
import { httpbinPod, namespace, objects } from './testing/sample-mesh.ts';

/** Of `shop`; the text is its metadata beside name and namespace. */
const service = (name: string, address: string, metadata = ''): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop${metadata}}
spec: {clusterIP: ${address}, ports: [{name: http, port: 80}]}
`;

const mesh = (...services: readonly string[]): string =>
  objects(
    namespace,
    httpbinPod(),
    ...services,
    service('secret', '10.1.0.66', ', annotations: {networking.mesh.io/exportTo: .}'),
    `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: machine, namespace: shop}
spec:
  hosts: [machine.service.consul]
  addresses: [10.1.0.77]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.5.0.1}]
`,
  );

const sidecar = `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: default, namespace: foo}
spec: {egress: [{hosts: [shop/other.shop.svc.cluster.local]}]}
`;

/** Asks the agent as the application does; prints the addresses, or the name of the failure, of each name. */
const client = `
const resolver = new (require('node:dns').promises.Resolver)({ timeout: 10000, tries: 1 });
resolver.setServers(['127.0.0.1:15053']);
Promise.all(process.argv.slice(1).map((name) => resolver.resolve4(name).catch(({ code }) => [code])))
  .then((found) => console.log(found.flat().join(' ')));
`;

const tellsNames = { compile: { tellsNames: true } };

describe('names of the mesh, which the control plane sends', () => {
  let it: DiscoveredProxy;
  beforeEach(async () => {
    it = await DiscoveredProxy.create(mesh(service('web', '10.1.0.5')), tellsNames);
  });
  afterEach(() => it.close());

  const names = ['web.shop', 'secret.shop', 'other.shop'].map((name) => `${name}.svc.cluster.local`);
  const resolved = (): string =>
    it.proxy.run([process.execPath, '-e', client, ...names, 'machine.service.consul']).stdout.trim();

  test('are answered while it is away, also by an agent that is started meanwhile, and follow it again afterwards', async () => {
    const environment = { DNS_AGENT: 'on' };
    it.start(environment);
    await it.proxy.untilReady();
    // No server serves DNS here: whatever is answered is answered by the agent itself.
    const first = '10.1.0.5 ENOTFOUND ENOTFOUND 10.1.0.77';
    await eventually(() => expect(resolved()).toBe(first));
    await it.bench.put('mesh.yaml', mesh(service('web', '10.1.0.6'), service('other', '10.1.0.7')));
    const second = '10.1.0.6 ENOTFOUND 10.1.0.7 10.1.0.77';
    await eventually(() => expect(resolved()).toBe(second));
    await eventually(async () => expect(await it.proxy.read('discovery-cache')).toContain('10.1.0.7'));

    await it.bench.control.stop();
    expect(resolved()).toBe(second);
    it.proxy.signal('SIGTERM');
    await it.proxy.exit;
    it.start(environment);
    await it.proxy.untilReady();
    expect(resolved()).toBe(second);

    await it.bench.put('mesh.yaml', mesh(service('web', '10.1.0.8')));
    await it.bench.start(tellsNames);
    await eventually(() => expect(resolved()).toBe('10.1.0.8 ENOTFOUND ENOTFOUND 10.1.0.77'));
    await it.bench.put('mesh.yaml', mesh(service('web', '10.1.0.8'), sidecar, service('other', '10.1.0.7')));
    // Of the last name the mesh says nothing now, and no server of the system answers here.
    await eventually(() => expect(resolved()).toMatch(/^ENOTFOUND ENOTFOUND 10\.1\.0\.7 E[A-Z]+$/));
  });
});
