import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { fixturePods } from '../src/injection/testing/fixture-pods.ts';
import type { InjectionServer } from './injection-server.ts';
import { line, median, ms, quantile } from './measure.ts';
import { cpuMs } from './process-cost.ts';

const atOnce = 200;
const rounds = 10;

/**
 * 200 pods of the shapes of `fixtures/injection` that are injected at once, from a request to its answer: over connections
 * that are kept, as API servers keep them, and over new ones, each of which has its TLS handshake.
 */
export async function injecting(): Promise<void> {
  const child = fork(resolve('bench/injection-server.ts'));
  try {
    const [server] = (await once(child, 'message')) as [InjectionServer];
    const pid = child.pid ?? 0;
    const kept = new Agent({ keepAlive: true, maxSockets: atOnce, maxFreeSockets: atOnce });
    const reviews = await injectedOnes(server, kept);
    for (const [label, agent] of [
      ['kept connections', kept],
      ['new connections', false],
    ] as const) {
      const all = Array.from({ length: atOnce }, (_, i) => reviews[i % reviews.length] ?? '');
      // Connections are made, and V8 compiles what is needed.
      for (let i = 0; i < 2; i += 1) await Promise.all(all.map((review) => ask(server, review, agent)));
      const before = cpuMs(pid);
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        times.push(...(await Promise.all(all.map((review) => timed(() => ask(server, review, agent))))));
      line(
        `${rounds} × ${atOnce} injections at once, ${reviews.length} shapes, ${label}`,
        `p50 ${ms(median(times))}, p99 ${ms(quantile(times, 0.99))}`,
        `${((cpuMs(pid) - before) / times.length).toFixed(2)} ms of a processor each`,
      );
      kept.destroy();
    }
  } finally {
    child.kill();
  }
}

/** The reviews of pods that get a proxy. */
async function injectedOnes(server: InjectionServer, agent: Agent): Promise<readonly string[]> {
  const reviews = fixturePods().map(({ target: { pod, namespace } }) => {
    const metadata = { ...(pod.metadata as object), namespace };
    const object = { ...pod, apiVersion: 'v1', kind: 'Pod', metadata };
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    const request = { uid: 'u', kind, operation: 'CREATE', namespace, object, oldObject: null };
    return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  });
  const answers = await Promise.all(reviews.map((review) => ask(server, review, agent)));
  const injected = reviews.filter((_, i) => JSON.parse(answers[i] ?? '').response.patch !== undefined);
  if (injected.length < 40) throw new Error(`only ${injected.length} of ${reviews.length} pods are injected`);
  return injected;
}

function ask({ port, root, servername }: InjectionServer, body: string, agent: Agent | false): Promise<string> {
  return new Promise((done, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, ca: root, servername, agent, method: 'POST', path: '/inject' },
      headers: { 'content-type': 'application/json' },
    });
    sent.on('response', (response) => {
      if (response.statusCode === 200) text(response).then(done, reject);
      else reject(new Error(`answered with ${response.statusCode}`));
    });
    sent.on('error', reject).end(body);
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
