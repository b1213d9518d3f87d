import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from '../lib/abort.ts';
import { mapIds } from './id-range.ts';
import { type RunningProgram, type RunResult, runProgram, startProgram } from './program.ts';

/** Where and as whom a program runs inside the sandbox. */
export interface Place {
  /** Name of a network namespace made with `ip netns add`; the hub's own when absent. */
  readonly network?: string;
  /** User and group id; root of the sandbox when absent. */
  readonly uid?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Deadline for a program that is waited for. */
  readonly timeoutMs?: number;
}

/**
 * A user (when not root), mount, network and process namespace of its own, and a folder. All of it lives as long as one
 * keeper process, and that one lives as long as the pipe from this process: nothing can be left behind, not even after
 * SIGKILL, because the kernel closes the pipe.
 */
export interface Sandbox {
  /** Scratch folder. Programs of the sandbox find it at `scratch`. */
  readonly folder: string;
  run(argv: readonly string[], place?: Place): Promise<RunResult>;
  /** As `run`, and throws with the program's own words when it does not exit with 0. */
  must(argv: readonly string[], place?: Place): Promise<string>;
  start(argv: readonly string[], output: string, place?: Place): Promise<RunningProgram>;
  /** Ends every program, removes namespaces and folder; returns when they are gone. */
  close(): Promise<void>;
}

/** Where programs find this repository inside: its real path may lie below a home folder that other uids cannot enter. */
export const repository = '/run/mesh/repository';

/** Where programs find the sandbox's folder inside, for the same reason. */
export const scratch = '/run/mesh/scratch';

/** TMPDIR inside: the user's own may be closed to other uids. */
const temporary = '/run/mesh/tmp';

/**
 * The keeper. Its first child is process 1 of the new process namespace and waits for the pipe's end; when it is gone
 * the kernel has ended every other process there, and no program can be started any more: so the folder is removed by
 * `exec`, which needs no new process. Mounts are private: /run is empty (network namespaces' names, iptables' lock),
 * /etc/hosts is the mesh's.
 */
const keeperScript = `
set -e
[ "$1" = mapped ] && read -r _
exec unshare --mount --net sh -ec '
  mount -t tmpfs tmpfs /run
  mkdir -p /run/netns ${repository} ${scratch}
  mkdir -m 1777 ${temporary}
  mount --rbind "$2" ${repository}
  mount --bind "$1" ${scratch}
  : > "$1/hosts"
  mount --bind "$1/hosts" /etc/hosts
  exec unshare --pid sh -c "
    sh -c \\"mount -t proc proc /proc 2>/dev/null || :; echo ready; exec cat >/dev/null\\"
    exec rm -rf \\"\\$1\\"
  " sh "$1"
' sh "$2" "$3"
`;

/** Needs root, or a user namespace with a range of ids (`newuidmap`); throws when there is neither. */
export async function openSandbox(isRoot = process.getuid?.() === 0): Promise<Sandbox> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'mesh-testbed-'));
  await chmod(folder, 0o755);
  const argv = ['sh', '-c', keeperScript, 'sh', isRoot ? 'root' : 'mapped', folder, repositoryFolder()];
  const [command, args] = isRoot ? ['sh', argv.slice(1)] : ['unshare', ['--user', ...argv]];
  // Its own session: Ctrl-C in the terminal reaches this process alone, and the keeper sees the pipe close after it.
  const keeper = spawn(command, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(keeper, 'exit');
  // A keeper that has ended is noticed by what it printed, not by the pipe that it left.
  keeper.stdin.on('error', () => undefined);
  try {
    const ready = untilReady(keeper);
    await Promise.all([isRoot ? undefined : mapIds(keeper), ready]);
  } catch (cause) {
    keeper.stdin.end();
    await within(5_000, exited);
    await rm(folder, { recursive: true, force: true });
    throw new Error('could not make the namespaces of the testbed', { cause });
  }
  return insideOf(keeper, folder, isRoot, exited);
}

function insideOf(
  keeper: ChildProcessWithoutNullStreams,
  folder: string,
  isRoot: boolean,
  exited: Promise<unknown>,
): Sandbox {
  const enter = entrance(keeper.pid ?? 0, isRoot);
  return {
    folder,
    run: (commandLine, place = {}) => runProgram([...enter(place), ...commandLine], place),
    must: async (commandLine, place = {}) => {
      const { exitCode, stdout, stderr } = await runProgram([...enter(place), ...commandLine], place);
      if (exitCode !== 0) throw new Error(`${commandLine.join(' ')}: exit ${exitCode}: ${stderr.trim()}`);
      return stdout;
    },
    start: (commandLine, output, place = {}) => startProgram([...enter(place), ...commandLine], output, enter({})),
    close: async () => {
      keeper.stdin.end();
      if ((await within(20_000, exited)) === undefined) throw new Error('the sandbox did not end within 20 s');
    },
  };
}

async function untilReady(keeper: ChildProcess): Promise<void> {
  let errors = '';
  keeper.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ready = new Promise<boolean>((resolve) => {
    keeper.stdout?.once('data', () => resolve(true));
    keeper.once('exit', () => resolve(false));
  });
  if ((await within(10_000, ready)) !== true) throw new Error(errors.trim() || 'no answer within 10 s');
}

/** The command line that steps into the keeper's namespaces: opened through /proc, so no process id inside is needed. */
function entrance(pid: number, isRoot: boolean): (place: Place) => string[] {
  const namespaces = `/proc/${pid}/ns`;
  return ({ network, uid, cwd = '/', env = {} }) => [
    'nsenter',
    ...(isRoot ? [] : [`--user=${namespaces}/user`]),
    `--mount=${namespaces}/mnt`,
    `--pid=${namespaces}/pid_for_children`,
    `--net=${network === undefined ? `${namespaces}/net` : `/proc/${pid}/root/run/netns/${network}`}`,
    `--setuid=${uid ?? 0}`,
    `--setgid=${uid ?? 0}`,
    'env',
    `--chdir=${cwd}`,
    `TMPDIR=${temporary}`,
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ];
}

/** The nearest folder above this file with a package.json: the file may have been bundled elsewhere in the tree. */
function repositoryFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
