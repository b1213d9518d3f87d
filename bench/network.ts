import { spawnSync } from 'node:child_process';

const mark = 'BENCH_NETWORK';

/** Whether this process has a network of its own already. */
export const hasOwnNetwork = process.env[mark] === '1';

/** Runs this program again in a network namespace where loopback is up: the ports are the specification's. */
export function runInOwnNetwork(args: readonly string[]): void {
  const [file, ...rest] = inOwnNetwork([process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args]);
  const { status } = spawnSync(file, rest, { stdio: 'inherit', env: { ...process.env, [mark]: '1' } });
  if (status !== 0) process.exitCode = status ?? 70;
}

/** The command line that runs `command` there. */
export function inOwnNetwork(command: readonly string[]): readonly [file: string, ...args: string[]] {
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', '--net', ...user, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command];
}
