import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Connection } from '../../access/request.ts';
import { accessLogFile, type LogEntry } from '../../gauge/access-logs.ts';
import { clients } from '../../gauge/gate-client.ts';
import type { SentCase } from '../../gauge/gauge-case.ts';
import { join, readLog, untilLogged } from '../../gauge/join.ts';
import { secured } from '../../gauge/secured.ts';
import { type OpenConnection, sendAll } from '../../gauge/send.ts';
import { delay } from '../../lib/abort.ts';
import { firstPort } from './envoy-config.ts';
import type { GaugeJob } from './job.ts';

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
  const sending = {
    keyOf: ({ connection, isAlone = false }: SentCase, index: number) =>
      isAlone ? String(index) : JSON.stringify(connection),
    open: ({ connection }: SentCase, count: number) => open(connection, job.certificates, count),
  };
  try {
    await Promise.race([ended, untilListening(firstPort)]);
    const sent = await Promise.race([ended, sendAll(job.cases, sending)]);
    await untilLogged(sent, accessLogFile, endsOf);
    envoy.kill('SIGTERM');
    await once(envoy, 'exit');
    await writeFile('answers.json', JSON.stringify(join(sent, await readLog(accessLogFile), endsOf)));
  } finally {
    envoy.kill('SIGKILL');
  }
}

function open(
  { source, destination, tls, protocol }: Connection,
  certificates: GaugeJob['certificates'],
  count: number,
): OpenConnection {
  // A port of its own: two connections from one port to two workloads would have to be told apart by translation.
  const localPort = firstClientPort + (count % clientPorts);
  const { address, port } = destination;
  const socket = connect({ host: address, port, localAddress: source, localPort });
  socket.setNoDelay(true);
  // Whoever uses the socket sees its end; a connection that is refused has no answer.
  socket.on('error', () => undefined);
  const client = new clients[protocol](tls === undefined ? socket : secured(socket, tls, certificates));
  return { client, ends: `${source}:${localPort} ${address}:${port}` };
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

function endsOf({ peer, local }: LogEntry): string {
  return `${peer} ${local}`;
}

await run();
