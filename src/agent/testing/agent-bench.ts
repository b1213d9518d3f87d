import { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { CompileResult } from '../../contracts/compile-result.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { findEnvoy } from '../../envoy/process.ts';
import { validateConfig } from '../../envoy/validate.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import type { AgentConfig } from '../agent-config.ts';
import type { AgentParts } from '../agent-parts.ts';
import { EnvoyCheck } from '../envoy-check.ts';
import { listenForSignals } from '../life/signals.ts';
import { createLog } from '../log/log.ts';
import { runAgent } from '../run.ts';
import { type SampleProxy, sampleFiles } from './sample-proxy.ts';

/** An agent in this process with a real Envoy, its inputs under the test's hand. */
export interface AgentBench {
  readonly folder: string;
  readonly sample: SampleProxy;
  readonly statusPort: number;
  readonly exitCode: Promise<number>;
  readonly lines: readonly string[];
  /** What the compile function gave, in order; the bench itself keeps the last alone. */
  readonly given: readonly WeakRef<ProxyFiles>[];
  /** Changes what the compile function gives, and touches the watched input. */
  change(next: Partial<SampleProxy> | { readonly problems: readonly string[] }): Promise<void>;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGHUP'): void;
  /** Has an error come that nobody catches. */
  crash(error: Error): void;
  /** Of the Envoy that was started last. */
  readonly envoyPid: number;
  /** Status and body of a request to the sample's HTTP listener; status 0 when the connection is refused. */
  get(path?: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Status of the readiness path; 0 when nobody serves it. */
  readiness(): Promise<number>;
  untilReady(): Promise<void>;
  untilLogged(text: string): Promise<void>;
  /** Ends the agent in a hurry and removes its folder. */
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly config?: Partial<AgentConfig>;
  readonly sample?: Partial<SampleProxy>;
  readonly folder?: string;
  /** What the first compilation reports instead of a configuration. */
  readonly problems?: readonly string[];
  /** Anything else that the agent is handed. */
  readonly parts?: Partial<AgentParts>;
}

/** Starts an agent for `sample`, in a folder of its own. */
export async function startBench(options: BenchOptions = {}): Promise<AgentBench> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'agent-')));
  const configPath = join(folder, 'proxy');
  const [adminPort = 0, httpPort = 0, freePort = 0] = await freePorts(3);
  const { statusPort = freePort } = options.config ?? {};
  let sample: SampleProxy = { configPath, adminPort, httpPort, body: 'one', ...options.sample };
  const { problems } = options;
  let result: CompileResult = problems ? { problems } : { files: sampleFiles(sample), warnings: [] };
  const input = join(folder, 'input');
  await writeFile(input, '0');
  const signals = new EventEmitter();
  const lines: string[] = [];
  const given: WeakRef<ProxyFiles>[] = [];
  const exitCode = runAgent({
    config: { ...benchConfig(configPath, statusPort), ...options.config },
    compile: () => {
      if ('files' in result) given.push(new WeakRef(result.files));
      return Promise.resolve(result);
    },
    renew: async () => undefined,
    envoyCheck: new EnvoyCheck(() => Promise.resolve()),
    validate: (json, signal) => validateConfig(envoyBinary(), json, { folder: configPath, signal }),
    inputs: [input],
    signals: listenForSignals(signals),
    log: createLog({ isJson: false, level: 'debug', write: (line) => void lines.push(line) }),
    ...options.parts,
  });
  exitCode.catch(() => undefined);
  let touched = 0;
  const bench: AgentBench = {
    folder,
    statusPort,
    exitCode,
    lines,
    given,
    get sample() {
      return sample;
    },
    change: async (next) => {
      if ('problems' in next) result = { problems: next.problems as readonly string[] };
      else {
        sample = { ...sample, ...next };
        result = { files: sampleFiles(sample), warnings: [] };
      }
      await writeFile(input, String(++touched));
    },
    signal: (name) => void signals.emit(name, name),
    crash: (error) => void signals.emit('uncaughtException', error),
    get envoyPid() {
      return Number([...lines.join('').matchAll(/Envoy started\tpid=(\d+)/g)].at(-1)?.[1]);
    },
    get: (path = '/') => httpGet(sample.httpPort, path),
    readiness: async () => (await httpGet(statusPort, '/healthz/ready')).status,
    untilReady: () => eventually(async () => expect(await bench.readiness()).toBe(200), { interval: 20 }),
    untilLogged: (text) => eventually(() => expect(lines.join('')).toContain(text), { interval: 20 }),
    close: async () => {
      for (let i = 0; i < 3; i++) signals.emit('SIGTERM', 'SIGTERM');
      await exitCode.catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

/** One GET on a connection of its own; status 0 when it is refused or cut. */
export function httpGet(port: number, path: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', () => resolve({ status: 0, body }));
    });
    call.on('error', () => resolve({ status: 0, body: '' }));
    call.end();
  });
}

function benchConfig(configPath: string, statusPort: number): AgentConfig {
  return {
    configPath,
    envoyBinary: envoyBinary(),
    role: 'sidecar',
    statusPort,
    drainDurationMs: 5_000,
    terminationDrainMs: 1_000,
    terminationDrain: 'plain',
    concurrency: 1,
    proxyLogLevel: 'critical',
    proxyComponentLogLevel: '',
    identityFolder: undefined,
    mustValidateFirst: false,
  };
}

/** The real Envoy of the repository's set-up. */
export function envoyBinary(): string {
  return findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') });
}
