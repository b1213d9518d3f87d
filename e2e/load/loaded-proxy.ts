import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEnvoy } from '../../src/envoy/process.ts';
import { delay } from '../../src/lib/abort.ts';
import { freePorts } from '../../src/testing/free-ports.ts';
import type { LoadedConfig, LoadedMachine } from './loaded-config.ts';

/** What another client met while the proxy was under a load. */
export interface LoadSeen {
  readonly statuses: readonly number[];
  /** Milliseconds of each request, ascending. */
  readonly times: readonly number[];
  /** Of Envoy, the most. */
  readonly residentBytes: number;
}

/** A real Envoy of two workers with a proxy's whole configuration for such a machine, and applications behind it. */
export interface LoadedProxy {
  /**
   * Offers open POST streams to the first port, and sends a request each 50 ms to the last port meanwhile: for so long,
   * and until every stream was offered.
   */
  under(load: { readonly connections: number; readonly streams: number }, durationMs: number): Promise<LoadSeen>;
  /** Status of one request to the port of this number; 0 where none comes within 10 s. */
  ask(port: number): Promise<number>;
  residentBytes(): Promise<number>;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/**
 * Starts applications, one a port, and the proxy. Envoy may have as many files open as the machine says. What was started
 * ends where a later step fails.
 */
export async function startLoadedProxy(
  configure: LoadedConfig,
  machine: LoadedMachine,
  portCount = 1,
): Promise<LoadedProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'loaded-proxy-'));
  const children: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(children.map(ended));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const free = await freePorts(2 * portCount);
    const applications = free.slice(portCount);
    const proxy = free.slice(0, portCount);
    const apps = applications.map((port) => program('e2e/load/application.ts', port));
    children.push(...apps);
    await Promise.all(apps.map((app) => Promise.race([once(app.stdout ?? app, 'data'), failed(app)])));
    const path = join(folder, 'envoy.json');
    await writeFile(path, configure({ proxy, applications }, machine, join(folder, 'admin.sock')));
    const envoy = startEnvoy(path, machine.descriptorLimit);
    children.push(envoy);
    for (const port of proxy) await answering(port, envoy);
    const residentBytes = (): Promise<number> => residentBytesOf(envoy.pid ?? 0);
    return {
      under: async ({ connections, streams }, durationMs) => {
        const load = program('e2e/load/stream-load.ts', proxy[0] ?? 0, connections, streams);
        // A client runs on a machine of its own, and takes no processor from the proxy.
        if (load.pid !== undefined) setPriority(load.pid, constants.priority.PRIORITY_LOW);
        let offered = false;
        load.stdout?.once('data', () => {
          offered = true;
        });
        const endAt = performance.now() + durationMs;
        try {
          const isOver = (): boolean => offered && performance.now() >= endAt;
          return await observe(proxy.at(-1) ?? 0, residentBytes, isOver);
        } finally {
          await ended(load);
        }
      },
      ask: (port) => get(proxy[port] ?? 0),
      residentBytes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The shell becomes Envoy. What its allocator says of its own goes nowhere. */
function startEnvoy(config: string, descriptorLimit: number | undefined): ChildProcess {
  const binary = findEnvoy({ env: process.env, repositoryRoot: root });
  const args = ['-c', config, '--disable-hot-restart', '--concurrency', '2', '-l', 'off'];
  const limit = descriptorLimit === undefined ? '' : `ulimit -n ${descriptorLimit} && `;
  return spawn('sh', ['-c', `${limit}exec "$0" "$@"`, binary, ...args], { stdio: 'ignore' });
}

function program(path: string, ...args: readonly number[]): ChildProcess {
  return spawn(join(root, '.tools/bin/node'), [join(root, path), ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Throws once the program has ended by itself, or could not be started. */
async function failed(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`a program of the load has ended, with ${code}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function answering(port: number, envoy: ChildProcess): Promise<void> {
  while ((await get(port).catch(() => 0)) !== 200) {
    if (envoy.exitCode !== null || envoy.signalCode !== null) throw new Error('Envoy has ended');
    await delay(20);
  }
}

async function observe(
  port: number,
  residentBytesNow: () => Promise<number>,
  isOver: () => boolean,
): Promise<LoadSeen> {
  const requests: Promise<readonly [status: number, ms: number]>[] = [];
  let residentBytes = 0;
  while (!isOver()) {
    const startedAt = performance.now();
    requests.push(get(port).then((status) => [status, performance.now() - startedAt] as const));
    residentBytes = Math.max(residentBytes, await residentBytesNow());
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
