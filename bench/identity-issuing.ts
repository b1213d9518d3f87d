import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Client } from '@grpc/grpc-js';
import { connectTo, send } from '../src/control/testing/control-bench.ts';
import { createTestRequest } from '../src/control/testing/signing-requests.ts';
import { line, median, ms, quantile, ratio } from './measure.ts';
import { Meshd } from './meshd-folder.ts';
import { cpuMs, residentMib } from './process-cost.ts';

const agents = 200;
const requestsEach = 10;

/** An agent of the load: its connection, what it asks, and who it is. */
interface Agent {
  readonly client: Client;
  readonly csr: string;
  readonly token: string;
}

/** Certificates that `meshd serve` signs in a second for 200 agents at once, beside bare signatures on one processor. */
export async function identityIssuing(): Promise<void> {
  for (const algorithm of ['ECDSA', 'RSA'] as const) {
    const meshd = await Meshd.start(algorithm);
    try {
      const load = await agentsOf(meshd, algorithm);
      // The first request of each makes its connection; V8 compiles the server's code meanwhile.
      await Promise.all(load.map(ask));
      const startedAt = performance.now();
      const spentMs = cpuMs(meshd.pid);
      const times = (await Promise.all(load.map(askOften))).flat();
      const perSecond = times.length / ((performance.now() - startedAt) / 1_000);
      const each = (cpuMs(meshd.pid) - spentMs) / times.length;
      const bare = signaturesPerSecond(algorithm);
      for (const { client } of load) client.close();
      line(
        `${algorithm}: ${times.length} certificates, ${agents} agents at once`,
        `${perSecond.toFixed(0)}/s, ${ratio(perSecond / bare)} of ${bare.toFixed(0)} bare signatures/s`,
        `p50 ${ms(median(times))}, p99 ${ms(quantile(times, 0.99))}`,
        `${each.toFixed(2)} ms of a processor each, meshd's peak ${residentMib(meshd.pid).peak.toFixed(0)} MiB`,
      );
    } finally {
      await meshd.end();
    }
  }
}

async function agentsOf(meshd: Meshd, algorithm: 'ECDSA' | 'RSA'): Promise<readonly Agent[]> {
  const root = await meshd.root();
  // One key for all: making keys is the agents' work, and they have more processors than the load has here.
  const { csr } = await createTestRequest({ algorithm: algorithm === 'RSA' ? 'RSA' : 'P-256' });
  return Promise.all(
    Array.from({ length: agents }, async (_, i) => ({
      client: connectTo(meshd.port, root),
      csr,
      token: await meshd.mint.mint(`foo/agent-${i}`),
    })),
  );
}

/** One after the other; how long each took, in milliseconds. */
async function askOften(agent: Agent): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < requestsEach; i += 1) {
    const startedAt = performance.now();
    await ask(agent);
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function ask({ client, csr, token }: Agent): Promise<void> {
  const { code, details } = await send(client, { csr, token });
  if (code !== 0) throw new Error(`refused with ${code}: ${details}`);
}

/** By OpenSSL on one processor, with a key as the authority's. */
function signaturesPerSecond(algorithm: 'ECDSA' | 'RSA'): number {
  const key: KeyObject =
    algorithm === 'RSA'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
      : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const text = Buffer.alloc(800, 'x');
  const count = algorithm === 'RSA' ? 500 : 5_000;
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) sign('sha256', text, key);
  return count / ((performance.now() - startedAt) / 1_000);
}
