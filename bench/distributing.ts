import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bareStreamBytes } from './bare-streams.ts';
import { identitiesFor } from './client-identities.ts';
import { Crowd, seenOf } from './crowd.ts';
import { EventLoopProbe } from './event-loop-probe.ts';
import { line, median, ms, nowMs, quantile, ratio } from './measure.ts';
import { MeshFolder } from './mesh-folder.ts';
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
  const mesh = new MeshFolder(folder, size);
  await mesh.write();
  const probe = new EventLoopProbe(join(folder, 'probe'));
  const meshd = await Meshd.start('ECDSA', ['--config', mesh.config, '--anyProxyAddress'], probe.surroundings);
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
  readonly #probe: EventLoopProbe;
  readonly #crowd: Crowd;

  constructor(meshd: Meshd, mesh: MeshFolder, probe: EventLoopProbe, crowd: Crowd) {
    this.#meshd = meshd;
    this.#mesh = mesh;
    this.#probe = probe;
    this.#crowd = crowd;
  }

  /** All connect at once and get everything. */
  async coldStart(): Promise<void> {
    const { pid } = this.#meshd;
    const began = nowMs();
    const cpu = cpuMs(pid);
    await this.#probe.reset();
    await this.#crowd.tell('open');
    const connected = nowMs();
    // A request ends a compilation's garbage too.
    const bare = await this.#probe.heap();
    const asked = nowMs();
    await this.#probe.reset();
    await this.#probe.profile();
    await this.#crowd.tell('ask');
    const reports = await this.#crowd.until(
      (all) => all.reduce((sum, { settled }) => sum + settled, 0) === count,
      280_000,
    );
    const ended = nowMs();
    const stall = await this.#probe.stall();
    await this.#probe.profiled('cold');
    const bytes = seenOf(reports).reduce((sum, seen) => sum + seen.bytes, 0);
    line(
      `cold start of ${count} clients over mutual TLS`,
      `${((ended - asked + (connected - began)) / 1_000).toFixed(1)} s, of it ${((connected - began) / 1_000).toFixed(1)} s to connect`,
      `${(bytes / 1e6).toFixed(0)} MB, ${((cpuMs(pid) - cpu) / 1_000).toFixed(1)} s of a processor`,
      `meshd's peak ${residentMib(pid).peak.toFixed(0)} MiB`,
      stall,
    );
    await delay(3_000);
    const rest = await this.#probe.heap();
    const own = bareStreamBytes(count);
    line(
      "heap a stream at rest, over gRPC's own",
      `${((rest.heapUsed - bare.heapUsed - own * count) / count / 1_024).toFixed(1)} KB, gRPC's ${(own / 1_024).toFixed(1)} KB`,
      `without heap ${((rest.external - bare.external) / count / 1_024).toFixed(1)} KB, resident ${(rest.rss / 1_048_576).toFixed(0)} MiB`,
    );
  }

  async endpoints(): Promise<void> {
    await this.#probe.reset();
    await this.#probe.profile();
    const cpu = cpuMs(this.#meshd.pid);
    const times = await this.#flip(flips);
    const spent = (cpuMs(this.#meshd.pid) - cpu) / flips;
    const stall = await this.#probe.stall();
    await this.#probe.profiled('endpoints');
    line(
      `endpoint event to the ACKs of ${count}, ${flips} events`,
      `all ACKs: p50 ${ms(quantile(times.all, 0.5))}, p99 ${ms(quantile(times.all, 0.99))}`,
      `the last one: p50 ${ms(median(times.last))}, max ${ms(Math.max(...times.last))}`,
      `at most ${times.most} EDS a client, ${ms(spent)} of a processor an event`,
      stall,
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
    await this.#probe.reset();
    const began = nowMs();
    const cpu = cpuMs(this.#meshd.pid);
    await this.#crowd.tell('open');
    await this.#probe.profile();
    await this.#crowd.tell('ask');
    await this.#crowd.until((all) => seenOf(all).every(({ isThrough }) => isThrough), 120_000);
    const ended = nowMs();
    const stall = await this.#probe.stall();
    await this.#probe.profiled(`again ${how}`);
    const spent = cpuMs(this.#meshd.pid) - cpu;
    await delay(2_000);
    const seen = seenOf(await this.#crowd.tell('report'));
    line(
      `all ${count} come back ${how}`,
      `${((ended - began) / 1_000).toFixed(1)} s, ${(spent / 1_000).toFixed(1)} s of a processor`,
      `${seen.reduce((sum, { bytes }) => sum + bytes, 0)} bytes of configuration`,
      stall,
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
}
