import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { RunningProgram, RunResult } from '../../src/testbed/program.ts';
import { openSandbox, repository, type Sandbox } from '../../src/testbed/sandbox.ts';
import { until } from '../../src/testbed/until.ts';
import { type ControlGroup, openControlGroup } from './control-group.ts';

/**
 * A machine that systemd runs as process 1, in namespaces inside a sandbox: its files are this machine's with a layer in
 * memory over them, its units are those that it needs and no others. As on a machine where it is installed,
 * /usr/local/bin has `pilot-agent`, `meshd`, `envoy` and `consul`. Units can name the network namespaces of the sandbox.
 */
export interface Machine {
  readonly sandbox: Sandbox;
  run(...argv: readonly string[]): Promise<RunResult>;
  /** Throws with the program's own words when it does not exit with 0. */
  must(...argv: readonly string[]): Promise<string>;
  /** Makes folders as needed. */
  write(path: string, text: string): Promise<void>;
  /** Command lines of the processes in the unit's control group, by process id. */
  processes(unit: string): Promise<ReadonlyMap<number, string>>;
  /** Ends every process; throws when one, or a control group, is left. */
  close(): Promise<void>;
}

/** The machine's root, seen from the sandbox. */
const root = '/run/mesh/machine/root';

/** The kernel's one hierarchy of control groups (cgroup2), seen from the sandbox. */
const hierarchy = '/run/mesh/groups';

/** Units of Debian's package that the machine has; nothing of the rest, which would ask the kernel for modules. */
const units = [
  ...['sysinit', 'basic', 'multi-user', 'network', 'network-online', 'shutdown', 'sockets'].map(
    (name) => `${name}.target`,
  ),
  ...['systemd-journald.service', 'systemd-journald.socket', 'systemd-journald-dev-log.socket'],
];

/**
 * $1 is the control group, $2 Node, the rest systemd's command line. /proc/sys and /sys are read-only, as in containers:
 * what they set is the kernel's, not the machine's.
 */
const bootScript = `
mkdir -p ${hierarchy} ${join(root, '..')}
mount -t cgroup2 cgroup2 ${hierarchy}
echo $$ > "${hierarchy}/$1/cgroup.procs"
exec unshare --mount --uts --ipc --cgroup --pid --fork --kill-child sh -ec '
  cd ${join(root, '..')}
  mount -t tmpfs tmpfs .
  cd .
  mkdir root upper work
  mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work overlay root
  cd root
  for folder in run tmp dev var/log root home; do mount -t tmpfs tmpfs $folder; done
  mount -t proc proc proc
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  for device in null zero full random urandom tty; do
    : > dev/$device
    mount --bind /dev/$device dev/$device
  done
  mkdir -p dev/pts dev/shm run/mesh/repository run/netns usr/local/bin
  mount --rbind /run/netns run/netns
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  mount --bind ${repository} run/mesh/repository
  mount -o remount,bind,ro run/mesh/repository
  rm -f usr/local/bin/*
  : > usr/local/bin/node
  mount --bind "$2" usr/local/bin/node
  for program in pilot-agent meshd; do ln -s ${repository}/dist/$program.js usr/local/bin/$program; done
  ln -s ${repository}/.tools/bin/envoy usr/local/bin/envoy
  ln -s ${repository}/.tools/bin/consul-1.8 usr/local/bin/consul
  rm -rf etc/systemd/system etc/mesh etc/certs
  mkdir -p etc/systemd/system/sysinit.target.wants
  for unit in ${units.join(' ')}; do cp lib/systemd/system/$unit etc/systemd/system/; done
  ln -s ../systemd-journald.service etc/systemd/system/sysinit.target.wants/
  shift 2
  exec env -i container=testbed SYSTEMD_UNIT_PATH=/etc/systemd/system PATH=/usr/sbin:/usr/bin chroot . "$@"
' sh "$@"
`;

const systemd = ['/lib/systemd/systemd', '--unit=multi-user.target', '--log-target=journal', '--show-status=no'];

/** Makes what the machine is to find in the sandbox when it boots, such as network namespaces. */
type Prepare = (sandbox: Sandbox) => Promise<void>;

/** Needs root, and Debian's package `systemd`; returns when the machine has booted. */
export async function openMachine(prepare: Prepare = async () => undefined): Promise<Machine> {
  const group = await openControlGroup(`mesh-machine-${randomUUID()}`);
  try {
    return await bootIn(group, prepare);
  } catch (error) {
    await group.close();
    throw error;
  }
}

async function bootIn(group: ControlGroup, prepare: Prepare): Promise<Machine> {
  const sandbox = await openSandbox();
  try {
    await prepare(sandbox);
    const argv = ['sh', '-ec', bootScript, 'sh', group.name, process.execPath, ...systemd];
    const boot = await sandbox.start(argv, join(sandbox.folder, 'boot.log'));
    const machine = machineOf(sandbox, boot, group);
    await until(() => hasBooted(machine, boot), {
      timeoutMs: 60_000,
      otherwise: async () => `the machine does not boot: ${await words(machine, boot)}`,
    });
    return machine;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

function machineOf(sandbox: Sandbox, boot: RunningProgram, group: ControlGroup): Machine {
  const run = (argv: readonly string[], stdin = ''): Promise<RunResult> =>
    sandbox.run(['sh', '-c', enterScript, 'sh', String(boot.pid), ...argv], { stdin, timeoutMs: 120_000 });
  const must = async (argv: readonly string[], stdin?: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(argv, stdin);
    if (exitCode !== 0) throw new Error(`${argv.join(' ')}: exit ${exitCode}: ${stderr.trim()}`);
    return stdout;
  };
  return {
    sandbox,
    run: (...argv) => run(argv),
    must: (...argv) => must(argv),
    write: async (path, text) =>
      void (await must(['sh', '-ec', 'mkdir -p "$(dirname "$1")"; cat > "$1"', 'sh', path], text)),
    processes: async (unit) => {
      const listed = await must(['sh', '-c', listScript, 'sh', unit]);
      const rows = listed.split('\n').filter((line) => line !== '');
      return new Map(rows.map((row) => [Number.parseInt(row, 10), row.slice(row.indexOf(' ') + 1)]));
    },
    close: async () => {
      try {
        await sandbox.close();
      } finally {
        await group.close();
      }
    },
  };
}

/** $1 is the process that waits for process 1 of the machine, the rest a command line. */
const enterScript = `
read -r first _ < "/proc/$1/task/$1/children"
shift
exec nsenter --target "$first" --mount --uts --ipc --cgroup --pid --root --wdns=/ -- "$@"
`;

/** The rows \`4711 /usr/bin/envoy -c …\` of what is in the control group of $1. */
const listScript = `
for id in $(cat "/sys/fs/cgroup/system.slice/$1/cgroup.procs" 2>/dev/null); do
  printf "%s %s\\n" "$id" "$(tr "\\0" " " < "/proc/$id/cmdline")"
done
`;

async function hasBooted(machine: Machine, boot: RunningProgram): Promise<true | undefined> {
  if (boot.exitCode !== undefined) throw new Error(await words(machine, boot));
  const { stdout } = await machine.run('systemctl', 'is-active', 'multi-user.target');
  return stdout.trim() === 'active' ? true : undefined;
}

/** What was said while it booted. */
async function words(machine: Machine, boot: RunningProgram): Promise<string> {
  const journal = await machine.run('journalctl', '--no-pager', '--boot', '--lines=30');
  return `${await machine.sandbox.must(['cat', boot.output])}${journal.stdout}`;
}
