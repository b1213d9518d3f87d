import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../../compiler/compile.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { delay } from '../../lib/abort.ts';
import { edgeTopology } from '../../testing/generated-edge.ts';
import { staticFormOf } from '../../testing/static-form.ts';

/** What another client met while the gateway was under a load. */
export interface LoadSeen {
  readonly statuses: readonly number[];
  /** Milliseconds of each request, ascending. */
  readonly times: readonly number[];
  /** Of Envoy, the most. */
  readonly residentBytes: number;
}

/** A real Envoy with the gateway's whole configuration for two workers in 1 GiB, and an application behind it. */
export interface LoadedGateway {
  /** Offers open POST streams for so long, and meanwhile sends a request each 50 ms from another client. */
  under(load: { readonly connections: number; readonly streams: number }, durationMs: number): Promise<LoadSeen>;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '../../..');

/** Stands for the application's address until the port is known: no setting is needed to reach loopback. */
const placeholder = '"address":"192.0.2.1","port_value":80';

const objects = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {namespace: mesh-system, name: edge}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {namespace: mesh-system, name: app}
spec:
  hosts: [app.example]
  location: MESH_EXTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 192.0.2.1}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {namespace: mesh-system, name: app}
spec: {hosts: ["*"], gateways: [edge], http: [{route: [{destination: {host: app.example}}]}]}
`;

/** Starts application and gateway on free ports. */
export async function startLoadedGateway(): Promise<LoadedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'loaded-gateway-'));
  const [appPort, port] = await freePorts();
  const app = program('src/testbed/load/application.ts', appPort);
  await once(app.stdout ?? app, 'data');
  await writeFile(join(folder, 'envoy.json'), gatewayConfig(appPort, port, folder));
  const binary = findEnvoy({ env: process.env, repositoryRoot: root });
  const args = ['-c', join(folder, 'envoy.json'), '--disable-hot-restart', '--concurrency', '2', '-l', 'error'];
  const envoy = await spawnEnvoy({ binary, args, output: 'inherit' });
  await answering(port, envoy);
  return {
    under: async ({ connections, streams }, durationMs) => {
      const load = program('src/testbed/load/stream-load.ts', port, connections, streams);
      const seen = await observe(port, envoy.pid, durationMs);
      await ended(load);
      return seen;
    },
    close: async () => {
      envoy.signal('SIGKILL');
      await Promise.all([envoy.exited, ended(app)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function program(path: string, ...args: readonly number[]): ChildProcess {
  return spawn(join(root, '.tools/bin/node'), [join(root, path), ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  const ports: number[] = [];
  for (const server of servers) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  for (const server of servers) server.close();
  return [ports[0] ?? 0, ports[1] ?? 0];
}

interface StaticBootstrap {
  admin: object;
  static_resources: {
    listeners: { name: string; address: object; access_log?: object[] }[];
    clusters: { name: string }[];
  };
}

/** The gateway's listener for plaintext on that port; of the clusters those that need no agent. */
function gatewayConfig(appPort: number, port: number, folder: string): string {
  const bag = new DiagnosticBag();
  const config = compile(
    {
      settings: { ...defaultSettings, accessLogFile: '' },
      host: { memoryLimitBytes: 2 ** 30, addresses: [], labels: {}, annotations: {}, metadata: {} },
      files: [edgeTopology(), { path: 'objects.yaml', text: objects }],
      select: [{ namespace: 'mesh-system', name: 'edge' }],
    },
    bag,
  )?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const text = JSON.stringify(staticFormOf(config));
  const json = JSON.parse(text.replaceAll(placeholder, `"address":"127.0.0.1","port_value":${appPort}`));
  const bootstrap: StaticBootstrap = json;
  const { listeners, clusters } = bootstrap.static_resources;
  const address = { socket_address: { address: '127.0.0.1', port_value: port } };
  bootstrap.admin = { address: { pipe: { path: join(folder, 'admin.sock') } } };
  bootstrap.static_resources.listeners = listeners
    .filter(({ name }) => name.endsWith('_8080'))
    .map((listener) => ({ ...listener, address }));
  bootstrap.static_resources.clusters = clusters.filter(({ name }) => name.includes('app.example'));
  return JSON.stringify(bootstrap);
}

async function answering(port: number, envoy: EnvoyProcess): Promise<void> {
  let hasExited = false;
  void envoy.exited.then(() => {
    hasExited = true;
  });
  while ((await get(port).catch(() => 0)) !== 200) {
    if (hasExited) throw new Error('Envoy has ended');
    await delay(20);
  }
}

async function observe(port: number, pid: number, durationMs: number): Promise<LoadSeen> {
  const endAt = performance.now() + durationMs;
  const requests: Promise<readonly [status: number, ms: number]>[] = [];
  let residentBytes = 0;
  while (performance.now() < endAt) {
    const startedAt = performance.now();
    requests.push(get(port).then((status) => [status, performance.now() - startedAt] as const));
    residentBytes = Math.max(residentBytes, await residentBytesOf(pid));
    await delay(50);
  }
  const answers = await Promise.all(requests);
  return {
    statuses: [...new Set(answers.map(([status]) => status))],
    times: answers.map(([, ms]) => ms).sort((a, b) => a - b),
    residentBytes,
  };
}

async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** The status of one request on a connection of its own; 0 where none comes within 10 s. */
function get(port: number): Promise<number> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/', headers: { host: 'example.com' }, agent: false } as const;
    const sent = request({ ...options, timeout: 10_000 }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent
      .on('timeout', () => sent.destroy())
      .on('error', () => resolve(0))
      .end();
  });
}
