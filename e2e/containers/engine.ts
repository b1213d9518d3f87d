import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunResult } from '../../src/testbed/program.ts';
import { openSandbox, type Sandbox, scratch } from '../../src/testbed/sandbox.ts';

/** Podman with storage and networks of its own, inside a sandbox: what it leaves behind ends with the sandbox. */
export interface Engine {
  readonly sandbox: Sandbox;
  /** Runs podman; throws with its own words when it does not exit with 0. */
  podman(...args: readonly string[]): Promise<string>;
  /** Runs podman, and gives what came of it. */
  tryPodman(...args: readonly string[]): Promise<RunResult>;
  /** Removes pods, then the sandbox with all else, and control groups; returns when they are gone. */
  close(): Promise<void>;
}

/** Needs root: control groups are made for the containers. */
export async function openEngine(): Promise<Engine> {
  const sandbox = await openSandbox();
  try {
    const folder = join(sandbox.folder, 'podman');
    await mkdir(folder);
    await writeFile(join(folder, 'containers.conf'), await settings());
    return engineIn(sandbox);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

function engineIn(sandbox: Sandbox): Engine {
  const folder = join(scratch, 'podman');
  const options = ['--root', `${folder}/storage`, '--runroot', `${folder}/run`, '--storage-driver', 'overlay'];
  const place = { env: { CONTAINERS_CONF: `${folder}/containers.conf` }, timeoutMs: 120_000 };
  const tryPodman = (...args: readonly string[]): Promise<RunResult> =>
    sandbox.run(['podman', ...options, ...args], place);
  const podman = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await tryPodman(...args);
    if (exitCode !== 0) throw new Error(`podman ${args.join(' ')}: exit ${exitCode}: ${stderr.trim()}`);
    return stdout;
  };
  return {
    sandbox,
    podman,
    tryPodman,
    close: async () => {
      try {
        await podman('pod', 'rm', '--all', '--force', '--time', '0');
      } finally {
        await sandbox.close();
        await removeControlGroups();
      }
    },
  };
}

/**
 * Podman's settings. Limits of open files are those of this process: podman asks for more than it may have where root
 * lacks CAP_SYS_RESOURCE. Soft and hard are the same: podman 4.3 confuses them.
 */
async function settings(): Promise<string> {
  const own = await readFile('/proc/self/limits', 'utf8');
  const rows = { nofile: /^Max open files +\d+ +(\d+) /m, nproc: /^Max processes +\S+ +(\d+) /m };
  const limits = Object.entries(rows).flatMap(([name, row]) => {
    const hard = row.exec(own)?.[1];
    return hard === undefined ? [] : [`${name}=${hard}:${hard}`];
  });
  return `[containers]
default_ulimits = ${JSON.stringify(limits)}
[network]
network_backend = "netavark"
network_config_dir = "${scratch}/podman/networks"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
`;
}

/** Podman leaves some, with nothing in them. One that somebody else has something in cannot be removed, and stays. */
async function removeControlGroups(): Promise<void> {
  for (const hierarchy of ['.', ...(await readdir('/sys/fs/cgroup'))]) {
    const parent = join('/sys/fs/cgroup', hierarchy, 'libpod_parent');
    const groups = await readdir(parent).catch(() => []);
    for (const group of [...groups.map((name) => join(parent, name)), parent])
      await rmdir(group).catch(() => undefined);
  }
}
