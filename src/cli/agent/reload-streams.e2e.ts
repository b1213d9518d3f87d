import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { serviceMesh } from './testing/sample-mesh.ts';

/** How long the streams are, in seconds: a minute in `make soak`. */
const seconds = process.env.SOAK === '1' ? 60 : 14;
const reloads = 20;

/** A service of a namespace without sidecars, behind which the same application answers. */
const service = (i: number, port = 9000, protocol = 'http'): string => `
apiVersion: v1
kind: Service
metadata: {name: plain-${i}, namespace: bar}
spec:
  clusterIP: 10.2.0.${i + 1}
  selector: {app: plain}
  ports: [{name: ${protocol}-x, port: ${port}, targetPort: 9000}]
`;

const plain = `
apiVersion: v1
kind: Namespace
metadata: {name: bar}
---
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: bar, labels: {app: plain}}
spec: {containers: [{name: app, ports: [{containerPort: 9000}]}]}
status: {podIP: 127.0.0.1, conditions: [{type: Ready, status: "True"}]}
---${service(0)}`;

/** A route of its own for a service that was added. */
const route = (i: number): string => `---
apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: plain-${i}, namespace: bar}
spec:
  hosts: [plain-${i}.bar.svc.cluster.local]
  http: [{match: [{uri: {prefix: /v${i}}}], route: [{destination: {host: plain-${i}.bar.svc.cluster.local}}]}]
`;

/** Answers /stream with one line each 50 ms for so many seconds, and anything else after a second. */
const application = `
const { createServer } = require('node:http');
const answer = ({ url }, response) => {
  if (url !== '/stream') return void setTimeout(() => response.end('done'), 1000);
  let left = ${seconds * 20};
  const timer = setInterval(() => {
    response.write(left + '\\n');
    if (--left > 0) return;
    clearInterval(timer);
    response.end();
  }, 50);
};
for (const port of [8000, 9000]) createServer(answer).listen(port, '0.0.0.0');
`;

/** Two streams, inbound and outbound, and all the while requests that take a second; writes what came of them. */
const client = `
const { Agent, request } = require('node:http');
const agent = new Agent({ keepAlive: true });
const targets = [{ host: '10.3.0.1', port: 8000 }, { host: '10.2.0.1', port: 9000, headers: { host: 'plain-0.bar:9000' } }];
const ask = (target, path) => new Promise((resolve) => {
  const call = request({ ...target, path, agent }, (response) => {
    let body = '';
    response.on('data', (data) => (body += data));
    response.on('end', () => resolve({ status: response.statusCode, lines: body.split('\\n').length - 1 }));
    response.on('error', ({ code }) => resolve({ status: code }));
  });
  call.on('error', ({ code }) => resolve({ status: code }));
  call.end();
});
(async () => {
  let isStreaming = true;
  const slow = {};
  const load = targets.flatMap((target) => Array.from({ length: 10 }, async () => {
    while (isStreaming) {
      const { status } = await ask(target, '/slow');
      slow[status] = (slow[status] ?? 0) + 1;
    }
  }));
  const streams = await Promise.all(targets.map((target) => ask(target, '/stream')));
  isStreaming = false;
  await Promise.all(load);
  console.log(JSON.stringify({ streams, slow }));
})();
`;

/** Traffic to the workload and to the services' addresses goes to Envoy; Envoy's own to the application does not. */
const prepare = `
ip route add local 10.2.0.0/16 dev lo
ip addr add 10.3.0.1/32 dev lo
iptables -t nat -A OUTPUT -p tcp -d 10.2.0.0/16 -j REDIRECT --to-ports 15001
iptables -t nat -A OUTPUT -p tcp -d 10.3.0.1 --dport 8000 ! -s 127.0.0.6 -j REDIRECT --to-ports 15006
"${process.execPath}" application.cjs & `;

describe('streams and requests in flight', () => {
  let proxy: ProxyProgram;
  afterEach(() => proxy?.close());

  test(`survive ${reloads} reloads that do not concern them`, async () => {
    proxy = await ProxyProgram.create(serviceMesh);
    await proxy.write('mesh/plain.yaml', plain);
    await proxy.write('application.cjs', application);
    await proxy.write('client.cjs', client);
    await proxy.write('mesh.yaml', 'allowedLocalEndpoints: [127.0.0.0/8]\n');
    proxy.start({ prepare, args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'] });
    await proxy.logged('state=running');
    await eventually(() => expect(proxy.curl('http://10.2.0.1:9000/x').status).toBe(200));

    const done = proxy.runBeside([process.execPath, 'client.cjs']);
    const pauseMs = ((seconds - 4) * 1_000) / reloads;
    for (let i = 1; i <= reloads; i++) {
      const startedAt = performance.now();
      // A service on a port that others have adds a route and a cluster, one on a port of its own a listener too.
      await proxy.write(`mesh/plain-${i}.yaml`, `${i % 2 === 0 ? service(i) : service(i, 9100 + i)}${route(i)}`);
      await eventually(() => expect(proxy.output.match(/configuration in force/g)).toHaveLength(i + 1));
      await new Promise((resolve) => setTimeout(resolve, pauseMs - (performance.now() - startedAt)));
    }
    const { streams, slow } = JSON.parse(await done) as {
      readonly streams: readonly { readonly status: number; readonly lines: number }[];
      readonly slow: Readonly<Record<string, number>>;
    };
    process.stdout.write(`streams of ${seconds} s through ${reloads} reloads: ${JSON.stringify({ streams, slow })}\n`);
    expect(streams).toEqual([1, 2].map(() => ({ status: 200, lines: seconds * 20 })));
    expect(Object.keys(slow)).toEqual(['200']);
    expect(proxy.curl(`http://10.2.0.${reloads + 1}:9000/v${reloads}`).status).toBe(200);
  });
});
