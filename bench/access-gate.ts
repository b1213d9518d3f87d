import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { findEnvoy, spawnEnvoy } from '../src/envoy/process.ts';
import { delay } from '../src/lib/abort.ts';

/** A real Envoy with one listener for each list of filters, and a small application behind all of them. */
export interface AccessGate {
  /** Latency of each of `count` requests on one connection, in milliseconds; throws when one is not answered with 200. */
  latencies(name: string, count: number, headers?: Readonly<Record<string, string>>): Promise<number[]>;
  close(): Promise<void>;
}

/** Starts Envoy with the filters of plaintext HTTP chains, by name; their cluster is `inbound|8080||`. */
export async function startAccessGate(chains: Readonly<Record<string, readonly object[]>>): Promise<AccessGate> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-gate-'));
  const socketOf = (name: string): string => join(folder, `${name}.sock`);
  const application = createServer((_, response) => response.end('ok\n'));
  await new Promise<void>((resolve) => {
    application.listen(socketOf('application'), resolve);
  });
  const listeners = Object.entries(chains).map(([name, filters]) => ({
    name,
    address: { pipe: { path: socketOf(name) } },
    filter_chains: [{ filters }],
  }));
  await writeFile(join(folder, 'envoy.json'), JSON.stringify(bootstrap(listeners, socketOf('application'))));
  const args = ['-c', join(folder, 'envoy.json'), '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
  const envoy = await spawnEnvoy({
    binary: findEnvoy({ env: process.env, repositoryRoot: '.' }),
    args,
    output: 'inherit',
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: AccessGate['latencies'] = async (name, count, headers = {}) => {
    const times: number[] = [];
    for (let i = 0; i < count; i += 1) {
      const start = performance.now();
      const status = await ask(socketOf(name), agent, headers);
      times.push(performance.now() - start);
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    }
    return times;
  };
  await untilListening(() => ask(socketOf(Object.keys(chains)[0] ?? ''), agent, {}));
  return {
    latencies,
    close: async () => {
      agent.destroy();
      envoy.signal('SIGKILL');
      await envoy.exited;
      application.close();
      application.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function bootstrap(listeners: readonly object[], application: string): object {
  const name = 'inbound|8080||';
  const endpoint = { address: { pipe: { path: application } } };
  const cluster = {
    name,
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
  return { node: { id: 'bench', cluster: 'bench' }, static_resources: { listeners, clusters: [cluster] } };
}

async function untilListening(probe: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      await probe();
      return;
    } catch (cause) {
      if (performance.now() > deadline) throw new Error('Envoy does not listen', { cause });
      await delay(50);
    }
  }
}

function ask(socketPath: string, agent: Agent, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, agent, path: '/', headers: { host: 'httpbin.a', ...headers } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
