import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Connection } from '../../access/request.ts';
import { delay } from '../../lib/abort.ts';
import { files, firstPort, sawHeaders } from './envoy-config.ts';
import { Http1Client } from './http1-client.ts';
import type { GaugeAnswer, GaugeCase, GaugeJob } from './job.ts';

/** Runs inside the sandbox, in its folder: starts Envoy, sends the cases of `job.json`, writes `answers.json`. */
async function run(): Promise<void> {
  const job: GaugeJob = JSON.parse(await readFile('job.json', 'utf8'));
  await writeFile('envoy.json', JSON.stringify(job.bootstrap));
  const flags = ['--file-flush-interval-msec', '100', '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
  const envoy = spawn(job.envoy, ['-c', 'envoy.json', ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(envoy, 'exit').then(() => {
    throw new Error('Envoy has ended');
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([ended, untilListening(firstPort)]);
    const sent = await Promise.race([ended, sendAll(job)]);
    await untilWritten(sent);
    envoy.kill('SIGTERM');
    await once(envoy, 'exit');
    await writeFile('answers.json', JSON.stringify(join(sent, await readLog())));
  } finally {
    envoy.kill('SIGKILL');
  }
}

/** An entry is written when Envoy has seen the end of its connection. */
async function untilWritten({ connections }: Sent): Promise<void> {
  const isWritten = async (): Promise<boolean> =>
    (await readLog()).filter(({ kind, peer }) => kind === 'connection' && !String(peer).startsWith('127.')).length >=
    connections.length;
  for (let tries = 0; tries < 50 && !(await isWritten()); tries++) await delay(100);
}

interface SentCase {
  /** Number of the connection, in the order in which they were opened. */
  readonly connection: number;
  /** The case that was sent first on it. */
  readonly opener: number;
  readonly status: number;
  readonly ending?: string;
  readonly sawPath?: string;
  readonly sawHost?: string;
  readonly saw?: Readonly<Record<string, string>>;
  readonly grpcStatus?: number;
}

/** What was sent: the cases in their order, and both ends of each connection, as the access log has them. */
interface Sent {
  readonly cases: SentCase[];
  readonly connections: string[];
}

/** Connections side by side, the requests of each one after the other. */
async function sendAll(job: GaugeJob): Promise<Sent> {
  const byConnection = groups(job.cases.keys(), (i) => JSON.stringify(job.cases[i]?.connection));
  const sent: Sent = { cases: [], connections: [] };
  const waiting = [...byConnection.values()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await sendOver(next, job, sent);
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return sent;
}

async function sendOver(indexes: readonly number[], { cases, certificates }: GaugeJob, sent: Sent): Promise<void> {
  let client: (OpenConnection & { readonly opener: number }) | undefined;
  for (const i of indexes) {
    const { connection, request } = cases[i] as GaugeCase;
    client ??= { ...open(connection, certificates, sent.connections), opener: i };
    const answer = await client.http.send(request);
    const sawPath = answer.headers.get('x-saw-path');
    const sawHost = answer.headers.get('x-saw-host');
    const grpc = answer.headers.get('grpc-status');
    const saw = Object.fromEntries(sawHeaders.map((name) => [name, answer.headers.get(`x-saw-${name}`) ?? '-']));
    sent.cases[i] = {
      connection: client.connection,
      opener: client.opener,
      status: answer.status,
      ...(answer.ending !== undefined && { ending: answer.ending }),
      ...(sawPath !== undefined && { sawPath }),
      ...(sawHost !== undefined && { sawHost, saw }),
      ...(grpc !== undefined && { grpcStatus: Number(grpc) }),
    };
    if (!answer.isLast) continue;
    client.http.close();
    client = undefined;
  }
  client?.http.close();
}

interface OpenConnection {
  readonly http: Http1Client;
  /** Its number, in the order in which they were opened. */
  readonly connection: number;
}

function open(
  { source, destination, tls }: Connection,
  certificates: GaugeJob['certificates'],
  connections: string[],
): OpenConnection {
  // A port of its own: two connections from one port to two workloads would have to be told apart by translation.
  const localPort = firstClientPort + (connections.length % clientPorts);
  const { address, port } = destination;
  const connection = connections.push(`${source}:${localPort} ${address}:${port}`) - 1;
  const socket = connect({ host: address, port, localAddress: source, localPort });
  socket.setNoDelay(true);
  // Whoever uses the socket sees its end; a connection that is refused has no answer.
  socket.on('error', () => undefined);
  if (tls === undefined) return { http: new Http1Client(socket), connection };
  const own = certificates[tls.identities?.[0] ?? ''];
  const secure = connectTls({
    socket,
    ...(own !== undefined && { cert: own.certificateChain, key: own.privateKey }),
    rejectUnauthorized: false,
    ...(tls.alpn.length > 0 && { ALPNProtocols: [...tls.alpn] }),
    ...(tls.serverName !== undefined && { servername: tls.serverName }),
  });
  return { http: new Http1Client(secure), connection };
}

const firstClientPort = 30_000;
const clientPorts = 35_000;

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await delay(20);
  }
}

type LogEntry = Readonly<Record<string, string | number | null>>;

async function readLog(): Promise<readonly LogEntry[]> {
  const text = await readFile(files.accessLog, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogEntry]));
}

/** Entries of one pair of ends stand in the log in the order in which they were sent, or ended. */
function join({ cases, connections }: Sent, log: readonly LogEntry[]): readonly GaugeAnswer[] {
  const requests = groups(
    log.filter(({ kind }) => kind === 'request'),
    endsOf,
  );
  const ended = groups(
    log.filter(({ kind }) => kind === 'connection'),
    endsOf,
  );
  const entries = connections.map((ends) => ended.get(ends)?.shift() ?? {});
  return cases.map(({ connection, opener, status, ...told }) => {
    const own = requests.get(connections[connection] ?? '');
    const entry = (status === 0 ? undefined : own?.shift()) ?? entries[connection] ?? {};
    const text = (key: string): string => String(entry[key] ?? '');
    return {
      status,
      opener,
      ...told,
      details: text('details'),
      chain: text('chain'),
      route: text('route'),
      cluster: text('cluster'),
    };
  });
}

function endsOf({ peer, local }: LogEntry): string {
  return `${peer} ${local}`;
}

function groups<T>(all: Iterable<T>, keyOf: (one: T) => string): Map<string, T[]> {
  const map = new Map<string, T[]>();
  for (const one of all) {
    const known = map.get(keyOf(one));
    if (known === undefined) map.set(keyOf(one), [one]);
    else known.push(one);
  }
  return map;
}

await run();
