import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from '../src/injection/inject.ts';
import type { InjectionTarget } from '../src/injection/pod.ts';
import { fixturePods } from '../src/injection/testing/fixture-pods.ts';
import { givenSettings } from '../src/injection/testing/given-pod.ts';
import type { JsonObject } from '../src/source/document.ts';
import type { InjectionServer } from './injection-server.ts';
import { line, median, ms, quantile } from './measure.ts';
import { cpuMs } from './process-cost.ts';

const atOnce = 200;
const go = '.tools/go/bin/go';

/** What `bench/webhook-client` is told. */
interface Order {
  /** Connections that are kept when they are idle. */
  readonly Idle: number;
  /** Bursts that are not measured. */
  readonly WarmUp: number;
  readonly Rounds: number;
}

/** What it has measured. */
interface Measured {
  /** Milliseconds from each request to its answer. */
  readonly Times: readonly number[];
  readonly Connections: number;
  /** Milliseconds of a processor. */
  readonly CPU: number;
  readonly Unpatched: number;
}

/** So many idle connections an API server keeps for a webhook. Of a burst, most requests need another one. */
const ofApiServer = 25;

/**
 * 200 pods of the shapes of `fixtures/injection` that are injected at once, from a request to its answer. The client is Go's,
 * as an API server's is, in a process of its own.
 */
export async function injecting(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-client-'));
  const client = join(folder, 'client');
  try {
    execFileSync(go, ['build', '-o', client, 'bench/webhook-client/main.go'], { stdio: 'inherit' });
    const reviews = reviewsOfPods();
    const rows: readonly (readonly [label: string, order: Order])[] = [
      ['as an API server', { Idle: ofApiServer, WarmUp: 10, Rounds: 10 }],
      ['all connections kept', { Idle: atOnce, WarmUp: 10, Rounds: 10 }],
      ['all connections new', { Idle: 0, WarmUp: 10, Rounds: 10 }],
      ['as an API server, the first of a new meshd', { Idle: ofApiServer, WarmUp: 0, Rounds: 1 }],
    ];
    for (const [label, order] of rows) await measure(client, reviews, label, order);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With a server of its own, so that none is warm from another measurement. */
async function measure(client: string, reviews: readonly string[], label: string, order: Order): Promise<void> {
  const child = fork(resolve('bench/injection-server.ts'));
  try {
    const [{ port, root, servername }] = (await once(child, 'message')) as [InjectionServer];
    const pid = child.pid ?? 0;
    const common = { URL: `https://127.0.0.1:${port}/inject`, Root: root, ServerName: servername, AtOnce: atOnce };
    const run = (each: Order, list: readonly string[]) => ordered(client, { ...common, ...each, Reviews: list });
    if (order.WarmUp > 0) await run({ ...order, Rounds: 0 }, reviews);
    const before = cpuMs(pid);
    const { Times, Connections, CPU, Unpatched } = await run({ ...order, WarmUp: order.WarmUp > 0 ? 1 : 0 }, reviews);
    if (Unpatched > 0) throw new Error(`${Unpatched} pods are not injected`);
    const bursts = order.Rounds + (order.WarmUp > 0 ? 1 : 0);
    line(
      `${order.Rounds} × ${atOnce} injections at once, ${label}`,
      `p50 ${ms(median(Times))}, p99 ${ms(quantile(Times, 0.99))}, ${Connections} connections`,
      `${((cpuMs(pid) - before) / (bursts * atOnce)).toFixed(2)} ms of a processor each, the client's ${(CPU / Times.length).toFixed(2)} ms`,
    );
  } finally {
    child.kill();
  }
}

async function ordered(client: string, order: object): Promise<Measured> {
  const child = spawn(client, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  return JSON.parse(await text(child.stdout)) as Measured;
}

/** The reviews of pods that get a proxy. Each has a name of its own, as pods have, so that no two are the same text. */
function reviewsOfPods(): readonly string[] {
  const settings = givenSettings('', { prefersNative: true });
  const targets = fixturePods()
    .map(({ target }) => target)
    .filter((target) => inject(target, settings).kind === 'injected');
  if (targets.length < 40) throw new Error(`only ${targets.length} pods are injected`);
  return Array.from({ length: atOnce }, (_, i) => {
    const { pod, namespace } = targets[i % targets.length] as InjectionTarget;
    const metadata = { ...(pod.metadata as JsonObject), namespace, name: `pod-${i}` };
    const object = { ...pod, apiVersion: 'v1', kind: 'Pod', metadata };
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    const request = { uid: `u-${i}`, kind, operation: 'CREATE', namespace, object, oldObject: null };
    return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  });
}
