import { rm, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secretResources } from '../../agent/secrets/secret-resources.ts';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { runStatus, runWhy } from '../../cli/control/debug-commands.ts';
import { delay } from '../../lib/abort.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { secretService } from '../../xds/secret-service.ts';
import { type DiscoveryServer, startDiscoveryServer } from '../../xds/server.ts';
import { type RunningEnvoy, startDirectEnvoy } from '../testing/direct-envoy.ts';
import { ServingBench, textOf } from '../testing/serving-bench.ts';

const podOf = (name: string): string => httpbinPod().replaceAll('httpbin', name);

const entry = (name: string, port: number, backend: number): string => `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: foo}
spec:
  hosts: [${name}.test]
  ports: [{number: ${port}, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: 127.0.0.1, ports: {http: ${backend}}}]
`;
/** Requests below /store go to another service than the host's own. */
const route = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: shop, namespace: foo}
spec:
  hosts: [shop.test]
  http:
  - match: [{uri: {prefix: /store}}]
    route: [{destination: {host: store.test}}]
  - route: [{destination: {host: shop.test}}]
`;
const sidecar = (port: number): string => `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: default, namespace: foo}
spec:
  egress: [{port: {number: ${port}, name: http, protocol: HTTP}, bind: 127.0.0.1, captureMode: NONE, hosts: [./*]}]
`;

/** Status of the answer to one request for the host of the route. */
function statusOf(port: number, path: string): Promise<number | string> {
  return new Promise((done) => {
    const sent = get({ host: '127.0.0.1', port, path, headers: { host: 'shop.test' }, agent: false }, (response) => {
      response.resume().on('end', () => done(response.statusCode ?? 0));
    });
    sent.on('error', ({ message }) => done(message));
  });
}

let bench: ServingBench;
let envoy: RunningEnvoy | undefined;
let secretServer: DiscoveryServer | undefined;
const server = createServer((_request, response) => response.end('served'));

beforeEach(async () => {
  bench = await ServingBench.create();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  await envoy?.close();
  await secretServer?.close();
  server.close();
  await bench.close();
});

test('while a service of a VirtualService is gone, requests for it get 503, no other request fails, and every proxy gets new policies', async () => {
  const [adminPort = 0, outboundPort = 0, inboundPort = 0, port = 0] = await freePorts(4);
  const backend = (server.address() as AddressInfo).port;
  const config = [
    `proxyListenPort: ${outboundPort}`,
    `proxyInboundListenPort: ${inboundPort}`,
    'allowedLocalEndpoints: [127.0.0.1]',
  ];
  await writeFile(bench.path('mesh-config.yaml'), config.join('\n'));
  const settings = { environment: {}, meshConfig: { path: bench.path('mesh-config.yaml'), isRequired: true } };
  await bench.put(
    'mesh.yaml',
    objects(namespace, httpbinPod(), podOf('other'), sidecar(port), entry('shop', port, backend)),
  );
  await bench.put('store.yaml', entry('store', port, backend));
  await bench.put('route.yaml', route);
  await bench.start({ compile: { settings } });
  const client = await bench.identity('foo/httpbin');
  // Envoy's secrets come from a service of its node; without them its listeners would wait.
  const own = { certificateChain: client.certificate, privateKey: client.privateKey, rootCertificates: bench.root };
  secretServer = await startDiscoveryServer(bench.path('SDS'), [secretService(secretResources(own))]);
  envoy = await startDirectEnvoy({ bench, adminPort, client, workload: 'httpbin.foo' });
  const { dump } = envoy;
  await eventually(async () => expect(await statusOf(port, '/store')).toBe(200));
  const others = new Set<number | string>();
  let isOver = false;
  const load = (async () => {
    for (; !isOver; await delay(5)) others.add(await statusOf(port, '/'));
  })();
  try {
    await rm(bench.path('config/store.yaml'));
    await eventually(async () => expect(await statusOf(port, '/store')).toBe(503));
    await eventually(async () => expect(await bench.metric('meshd_missing_destinations')).toBe('1'));
    expect(bench.logged('warn')).toContain('VirtualService/foo/shop (');
    let said = '';
    const io = {
      write: async (text: string): Promise<void> => {
        said += text;
      },
      stop: new AbortController().signal,
    };
    await runStatus({ socket: [bench.debugSocket] }, io);
    expect(said).toMatch(
      /inputs {3}valid\n {2}routes {3}1 destination.*get 503:\n {4}VirtualService\/foo\/shop \(.*route\.yaml:8\): store\.test\n/,
    );
    await runWhy('foo/httpbin', undefined, { socket: [bench.debugSocket] }, io);
    expect(said).toMatch(
      /foo\/httpbin has the configuration of the current inputs\n {2}routes {3}1 destination.*get 503:\n.*route\.yaml:8\): store\.test\n/,
    );

    // Policies reach everybody, and a proxy that starts is not closed.
    await bench.put('late.yaml', podOf('late'));
    await bench.put('deny.yaml', denyPath('/secret'));
    await eventually(async () => expect(await dump()).toContain('/secret'));
    for (const name of ['other', 'late']) {
      const stream = bench.open(await bench.identity(`foo/${name}`));
      stream.subscribe('listeners', `sidecar~127.0.0.1~${name}.foo~foo.svc.cluster.local`);
      await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/secret'));
      expect(textOf(stream.seen.at(-1))).not.toContain('virtualInbound-denied');
    }
    expect(await statusOf(port, '/store')).toBe(503);

    await bench.put('store.yaml', entry('store', port, backend));
    await eventually(async () => expect(await statusOf(port, '/store')).toBe(200));
    await eventually(async () => expect(await bench.metric('meshd_missing_destinations')).toBe('0'));
  } finally {
    isOver = true;
    await load;
  }
  expect([...others]).toEqual([200]);
  expect(await envoy.figure('listener_manager.lds.update_rejected')).toBe(0);
});
