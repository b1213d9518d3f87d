import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectTo, send } from '../src/control/testing/control-bench.ts';
import { createTestRequest } from '../src/control/testing/signing-requests.ts';
import { Crowd, seenOf } from './crowd.ts';
import { type ClientIdentity, nowMs } from './delta-client.ts';
import { line, median, ms, quantile, ratio } from './measure.ts';
import { generateMesh, type MeshSize } from './mesh.ts';
import { Meshd } from './meshd-folder.ts';
import { cpuMs, residentMib } from './process-cost.ts';

const count = Number(process.env.BENCH_CLIENTS ?? 1_000);
const size = { services: count, workloads: count, namespaces: 10 };
/** The clients of the first process stop reading in a part of the runs. */
const silent = count / 10;
const flips = 20;

/** `meshd serve --config` and delta clients over mutual TLS, with identities and connections of their own (22). */
export async function distributing(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-config-'));
  const mesh = new MeshFolder(folder);
  await mesh.write();
  const probe = join(folder, 'probe');
  const meshd = await Meshd.start('ECDSA', ['--config', mesh.config, '--anyProxyAddress'], {
    nodeFlags: ['--import', resolve('bench/event-loop-probe.mjs')],
    environment: { BENCH_PROBE: probe },
  });
  let crowd: Crowd | undefined;
  try {
    await meshd.seen('configuration compiled');
    const identities = await identitiesFor(meshd, count, size);
    const others = Math.ceil((count - silent) / 3);
    const parts = [0, silent, silent + others, silent + 2 * others].map((from, i, starts) =>
      identities.slice(from, starts[i + 1] ?? count),
    );
    crowd = await Crowd.create(parts);
    const run = new Run(meshd, mesh, probe, crowd);
    await run.coldStart();
    await run.endpoints();
    await run.silence();
    await run.reconnection('with the versions of all that they have');
    await crowd.tell('digest');
    await run.reconnection('with digests, as agents do');
  } finally {
    crowd?.end();
    await meshd.end();
    await rm(folder, { recursive: true, force: true });
  }
}

class Run {
  readonly #meshd: Meshd;
  readonly #mesh: MeshFolder;
  readonly #probe: string;
  readonly #crowd: Crowd;

  constructor(meshd: Meshd, mesh: MeshFolder, probe: string, crowd: Crowd) {
    this.#meshd = meshd;
    this.#mesh = mesh;
    this.#probe = probe;
    this.#crowd = crowd;
  }

  /** All connect at once and get everything; before that their streams are there and ask for nothing. */
  async coldStart(): Promise<void> {
    const { pid } = this.#meshd;
    const began = nowMs();
    const cpu = cpuMs(pid);
    await this.#ask('/reset');
    await this.#crowd.tell('open');
    const connected = nowMs();
    // A request ends a compilation's garbage too.
    const bare = await this.#ask('/heap');
    const asked = nowMs();
    await this.#ask('/reset');
    await this.#profile('cold');
    await this.#crowd.tell('ask');
    const reports = await this.#crowd.until(
      (all) => all.reduce((sum, { settled }) => sum + settled, 0) === count,
      280_000,
    );
    const ended = nowMs();
    const stall = await this.#ask('/stall');
    await this.#profiled('cold');
    const bytes = seenOf(reports).reduce((sum, seen) => sum + seen.bytes, 0);
    line(
      `cold start of ${count} clients over mutual TLS`,
      `${((ended - asked + (connected - began)) / 1_000).toFixed(1)} s, of it ${((connected - began) / 1_000).toFixed(1)} s to connect`,
      `${(bytes / 1e6).toFixed(0)} MB, ${((cpuMs(pid) - cpu) / 1_000).toFixed(1)} s of a processor`,
      `meshd's peak ${residentMib(pid).peak.toFixed(0)} MiB`,
      stalls(stall),
    );
    await delay(3_000);
    const rest = await this.#ask('/heap');
    line(
      'heap a stream at rest, over a stream that asked for nothing',
      `${((rest.heapUsed - bare.heapUsed) / count / 1_024).toFixed(1)} KB`,
      `without heap ${((rest.external - bare.external) / count / 1_024).toFixed(1)} KB, resident ${(rest.rss / 1_048_576).toFixed(0)} MiB`,
    );
  }

  async endpoints(): Promise<void> {
    await this.#ask('/reset');
    await this.#profile('endpoints');
    const cpu = cpuMs(this.#meshd.pid);
    const times = await this.#flip(flips);
    const spent = (cpuMs(this.#meshd.pid) - cpu) / flips;
    const stall = await this.#ask('/stall');
    await this.#profiled('endpoints');
    line(
      `endpoint event to the ACKs of ${count}, ${flips} events`,
      `all ACKs: p50 ${ms(quantile(times.all, 0.5))}, p99 ${ms(quantile(times.all, 0.99))}`,
      `the last one: p50 ${ms(median(times.last))}, max ${ms(Math.max(...times.last))}`,
      `at most ${times.most} EDS a client, ${ms(spent)} of a processor an event`,
      stalls(stall),
    );
  }

  /** Five runs with all, and five in which a tenth does not read, in turns. */
  async silence(): Promise<void> {
    const p99 = { with: [] as number[], without: [] as number[] };
    for (let i = 0; i < 5; i += 1) {
      p99.without.push(quantile((await this.#flip(5)).all, 0.99));
      this.#crowd.stopFirst();
      p99.with.push(quantile((await this.#flip(5)).all, 0.99));
      this.#crowd.resumeFirst();
      await delay(2_000);
    }
    line(
      `p99 of the others while ${silent} do not read, 5 and 5 runs in turns`,
      `${ms(median(p99.with))}, ${ms(median(p99.without))} when all read: ${ratio(median(p99.with) / median(p99.without))}`,
    );
  }

  async reconnection(how: string): Promise<void> {
    await this.#crowd.tell('close');
    await delay(2_000);
    await this.#crowd.countAnew();
    await this.#ask('/reset');
    const began = nowMs();
    const cpu = cpuMs(this.#meshd.pid);
    await this.#crowd.tell('open');
    await this.#profile(`again ${how}`);
    await this.#crowd.tell('ask');
    await this.#crowd.until((all) => seenOf(all).every(({ isThrough }) => isThrough), 120_000);
    const ended = nowMs();
    const stall = await this.#ask('/stall');
    await this.#profiled(`again ${how}`);
    const spent = cpuMs(this.#meshd.pid) - cpu;
    await delay(2_000);
    const seen = seenOf(await this.#crowd.tell('report'));
    line(
      `all ${count} come back ${how}`,
      `${((ended - began) / 1_000).toFixed(1)} s, ${(spent / 1_000).toFixed(1)} s of a processor`,
      `${seen.reduce((sum, { bytes }) => sum + bytes, 0)} bytes of configuration`,
      stalls(stall),
    );
  }

  /** Flips the readiness of one endpoint so often; from its rename to each client's acknowledgement. */
  async #flip(times: number) {
    const [all, last]: [number[], number[]] = [[], []];
    let most = 0;
    for (let i = 0; i < times; i += 1) {
      await this.#crowd.countAnew();
      const began = await this.#mesh.flip();
      await this.#crowd.until((reports) => seenOf(reports).every(({ endpointResponses: n }) => n > 0), 30_000);
      await delay(300);
      const seen = seenOf(await this.#crowd.until(() => true, 1_000));
      const took = seen.map(({ lastAckMs }) => lastAckMs - began);
      all.push(...took);
      last.push(Math.max(...took));
      most = Math.max(most, ...seen.map(({ endpointResponses: n }) => n));
    }
    return { all, last, most };
  }

  #ask(path: string): Promise<Record<'heapUsed' | 'external' | 'rss' | 'longestMs' | 'busiestMs', number>> {
    return ask(this.#probe, path);
  }

  /** With BENCH_PROFILES, a folder, meshd's main thread is profiled. */
  async #profile(_name: string): Promise<void> {
    if (process.env.BENCH_PROFILES !== undefined) await this.#ask('/profile');
  }

  async #profiled(name: string): Promise<void> {
    const { BENCH_PROFILES } = process.env;
    if (BENCH_PROFILES === undefined) return;
    await writeFile(join(BENCH_PROFILES, `${name}.cpuprofile`), JSON.stringify(await this.#ask('/profiled')));
  }
}

/** The mesh's files, and one endpoint of it that comes and goes. */
class MeshFolder {
  readonly config: string;
  readonly #aside: string;
  readonly #pod: string;
  #isReady = true;

  constructor(folder: string) {
    this.config = join(folder, 'config');
    this.#aside = join(folder, 'aside');
    this.#pod = generateMesh(size).find(({ path }) => path === 'pod-7.yaml')?.text ?? '';
  }

  async write(): Promise<void> {
    await mkdir(this.config);
    for (const { path, text } of generateMesh(size)) await writeFile(join(this.config, path), text);
  }

  /** Gives the time of the rename. */
  async flip(): Promise<number> {
    this.#isReady = !this.#isReady;
    await writeFile(this.#aside, this.#isReady ? this.#pod : this.#pod.replace('"True"', '"False"'));
    const at = nowMs();
    await rename(this.#aside, join(this.config, 'pod-7.yaml'));
    return at;
  }
}

/** One for each of the first workloads of {@link generateMesh}, signed by meshd. */
export async function identitiesFor(
  meshd: Meshd,
  clients: number,
  { services, namespaces }: MeshSize,
): Promise<readonly ClientIdentity[]> {
  const root = await meshd.root();
  const { csr, privateKey } = await createTestRequest();
  const client = connectTo(meshd.port, root);
  const identities = await Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      const namespace = `ns-${(i % services) % namespaces}`;
      const { code, details, chain } = await send(client, {
        csr,
        token: await meshd.mint.mint(`${namespace}/sa-${i % services}`),
      });
      if (code !== 0) throw new Error(`refused with ${code}: ${details}`);
      const nodeId = `sidecar~127.0.0.1~p-${i}.${namespace}~${namespace}.svc.cluster.local`;
      return { port: meshd.port, root, certificate: chain.slice(0, -1).join(''), privateKey, nodeId };
    }),
  );
  client.close();
  return identities;
}

function stalls({ longestMs, busiestMs }: { readonly longestMs: number; readonly busiestMs: number }): string {
  return `longest stall ${ms(longestMs)}, of one task at most ${ms(busiestMs)} of a processor`;
}

function ask<Answer>(socketPath: string, path: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const asked = request({ socketPath, path }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString()) as Answer));
    });
    asked.on('error', fail);
    asked.end();
  });
}
