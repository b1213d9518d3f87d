import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { createAdminClient } from '../envoy/admin.ts';
import { type EnvoyProcess, spawnEnvoy } from '../envoy/process.ts';
import { delay, within } from '../lib/abort.ts';
import { WorldFailure } from '../lib/failure.ts';
import { accessLogFile, type LogEntry } from './access-logs.ts';
import { openAtGate } from './gate-client.ts';
import { createGateIdentities, type GateIdentities } from './gate-identities.ts';
import { adminSocket, type Gate, gateName, gatesBootstrap } from './gates.ts';
import type { GateCase, GaugeAnswer } from './gauge-case.ts';
import { join, readLog, untilLogged } from './join.ts';
import { sendAll } from './send.ts';

/** Where cases are sent. */
export interface GateRun {
  /** Path of Envoy. */
  readonly binary: string;
  /** A public key that verifies tokens beside the keys of each key set. */
  readonly tokenKey?: object | undefined;
  /** Ends the run. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Sends each case, on a connection of its own, to a real Envoy on loopback that has these gates, and gives what became of it,
 * in the order of the cases. Throws a WorldFailure where Envoy does not start, or refuses the configuration.
 */
export async function runGates(
  gates: readonly Gate[],
  cases: readonly GateCase[],
  { binary, stop, tokenKey }: GateRun,
): Promise<readonly GaugeAnswer[]> {
  const folder = await mkdtemp(joinPath(tmpdir(), 'meshpol-prove-'));
  try {
    const identities = await createGateIdentities(folder, cases);
    try {
      return await runIn(folder, { gates, cases, identities, binary, stop, tokenKey });
    } finally {
      await identities.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(
  folder: string,
  {
    gates,
    cases,
    identities,
    binary,
    stop,
    tokenKey,
  }: GateRun & {
    readonly gates: readonly Gate[];
    readonly cases: readonly GateCase[];
    readonly identities: GateIdentities;
  },
): Promise<readonly GaugeAnswer[]> {
  const bootstrap = JSON.stringify(gatesBootstrap(gates, { ...identities.secrets, tokenKey }));
  await writeFile(joinPath(folder, 'envoy.json'), bootstrap, { mode: 0o600 });
  const flags = ['--file-flush-interval-msec', '100', '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
  const envoy = await spawnEnvoy({ binary, args: ['-c', 'envoy.json', ...flags], cwd: folder, output: 'pipe' });
  const said = lastWords(envoy);
  const failed = envoy.exited.then((): never => {
    throw new WorldFailure('envoy-exited', `Envoy "${binary}" ended before it had answered: ${said()}`);
  });
  failed.catch(() => undefined);
  const over = new AbortController();
  const kill = (): void => void envoy.signal('SIGKILL');
  stop?.addEventListener('abort', kill, { once: true });
  try {
    const listening = await Promise.race([failed, listeningGates(folder, gates, over.signal)]);
    const sending = {
      keyOf: (_: GateCase, index: number) => String(index),
      open: (one: GateCase, count: number) =>
        openAtGate(one.connection, listening.get(one.gate) ?? nowhere, identities.certificates, count),
    };
    const sent = await Promise.race([failed, sendAll(cases, sending)]);
    const log = joinPath(folder, accessLogFile);
    await Promise.race([failed, untilLogged(sent, log, endsOf)]);
    return join(sent, await readLog(log), endsOf);
  } finally {
    over.abort();
    stop?.removeEventListener('abort', kill);
    envoy.signal('SIGTERM');
    if ((await within(10_000, envoy.exited)) === undefined) envoy.signal('SIGKILL');
    await envoy.exited;
    stop?.throwIfAborted();
  }
}

/** What Envoy has written last, on one line. */
function lastWords({ stdout, stderr }: EnvoyProcess): () => string {
  let text = '';
  stdout?.resume();
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-1_000);
  });
  return () => text.trim().replaceAll(/\s+/g, ' ') || 'it said nothing';
}

const startTimeoutMs = 60_000;

interface ListeningGate {
  readonly name: string;
  readonly port: number;
}

const nowhere: ListeningGate = { name: '', port: 0 };

/** By key, name and port of each gate, once Envoy listens on all of them. */
async function listeningGates(
  folder: string,
  gates: readonly Gate[],
  stop: AbortSignal,
): Promise<ReadonlyMap<string, ListeningGate>> {
  const admin = createAdminClient({ socketPath: joinPath(folder, adminSocket) });
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const answer = await admin.get('/listeners?format=json').catch(() => undefined);
    const ports = answer?.status === 200 ? portsIn(answer.body) : new Map<string, number>();
    if (gates.every((_, i) => ports.get(gateName(i)))) {
      return new Map(gates.map(({ key }, i) => [key, { name: gateName(i), port: ports.get(gateName(i)) ?? 0 }]));
    }
    stop.throwIfAborted();
    if (Date.now() > deadline) throw new WorldFailure('envoy-exited', 'Envoy did not listen within a minute');
    await delay(50, stop);
  }
}

function portsIn(text: string): Map<string, number> {
  const { listener_statuses = [] } = JSON.parse(text) as {
    readonly listener_statuses?: readonly {
      readonly name: string;
      readonly local_address?: { readonly socket_address?: { readonly port_value?: number } };
    }[];
  };
  return new Map(
    listener_statuses.map(({ name, local_address }) => [name, local_address?.socket_address?.port_value ?? 0]),
  );
}

function endsOf({ gate, peer }: LogEntry): string {
  return `${gate} ${peer}`;
}
