import { applicationUid } from '../../src/testbed/curl.ts';
import type { RunningProgram } from '../../src/testbed/program.ts';
import { repository, type Sandbox } from '../../src/testbed/sandbox.ts';
import { until } from '../../src/testbed/until.ts';

/** Port of a Redis server, and of a Thrift server. */
export const redisPort = 6379;
export const thriftPort = 9090;

// Debian's own, for which its thrift package is; another python3 may come first in PATH.
const thriftPeer = ['/usr/bin/python3', `${repository}/e2e/testing/thrift-peer.py`];

/** A Redis server in a pod, by `namespace/name`; returns when it answers. */
export async function startRedis(sandbox: Sandbox, pod: string): Promise<void> {
  // Debian's redis-tools hold the server under this name; the package of the server itself would start one on the machine.
  const script = 'exec -a redis-server redis-check-rdb "$@"';
  const flags = ['--port', redisPort, '--bind', '*', '::', '--protected-mode', 'no', '--save', ''].map(String);
  const output = outputOf(sandbox, pod, 'redis');
  const program = await sandbox.start(['bash', '-c', script, 'redis-server', ...flags], output, placeOf(pod));
  const answers = async () => (await inPod(sandbox, pod, 'ping')) === 'PONG' || undefined;
  await untilUp(program, pod, answers);
}

/** What a Redis server itself answers, past every proxy. */
export function inPod(sandbox: Sandbox, pod: string, ...command: readonly string[]): Promise<string> {
  return redis(sandbox, { from: pod, to: '127.0.0.1' }, ...command);
}

/** What a client's command is answered, one line a value; several commands of one connection are lines of `stdin`. */
export async function redis(
  sandbox: Sandbox,
  { from, to, port = redisPort, stdin }: { from: string; to: string; port?: number; stdin?: string },
  ...command: readonly string[]
): Promise<string> {
  const argv = ['redis-cli', '-h', to, '-p', String(port), ...command];
  const place = { ...placeOf(from), timeoutMs: 60_000, ...(stdin === undefined ? {} : { stdin }) };
  const { stdout, stderr } = await sandbox.run(argv, place);
  return (stdout + stderr).trim();
}

/** A Thrift server in a pod that answers each call with its name; returns when it listens. */
export async function startThrift(sandbox: Sandbox, pod: string): Promise<void> {
  const output = outputOf(sandbox, pod, 'thrift');
  const argv = [...thriftPeer, 'serve', '::', String(thriftPort), pod.split('/')[1] ?? ''];
  const program = await sandbox.start(argv, output, placeOf(pod));
  const talks = async () => (await thrift(sandbox, { from: pod, to: '127.0.0.1' }, 1)).length === 1 || undefined;
  await untilUp(program, pod, talks);
}

/** Who answers the calls of one connection, in their order. */
export async function thrift(
  sandbox: Sandbox,
  { from, to, port = thriftPort }: { from: string; to: string; port?: number },
  calls: number,
): Promise<readonly string[]> {
  const place = { ...placeOf(from), timeoutMs: 60_000 };
  const { stdout } = await sandbox.run([...thriftPeer, 'call', to, String(port), String(calls)], place);
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '');
}

async function untilUp(program: RunningProgram, pod: string, isUp: () => Promise<true | undefined>): Promise<void> {
  const probe = async () => {
    if (program.exitCode !== undefined) throw new Error(`the server of ${pod} ended: see ${program.output}`);
    return isUp();
  };
  await until(probe, {
    timeoutMs: 90_000,
    everyMs: 100,
    otherwise: async () => `the server of ${pod} does not answer`,
  });
}

function placeOf(pod: string) {
  return { network: pod.replace('/', '-'), uid: applicationUid };
}

function outputOf({ folder }: Sandbox, pod: string, what: string): string {
  return `${folder}/${pod.replace('/', '-')}-${what}.log`;
}
