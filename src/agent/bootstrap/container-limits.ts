import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel lets this process use; undefined where nothing limits it. */
export interface ContainerLimits {
  /** Processors, as a fraction: a quota of 150 ms in each 100 ms is 1.5. */
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Files that one process may have open. */
  readonly descriptors?: number | undefined;
}

/** Where the kernel shows control groups. */
export interface CgroupPlaces {
  /** `/sys/fs/cgroup` */
  readonly mount: string;
  /** `/proc/self/cgroup` */
  readonly membership: string;
  /** `/proc/self/limits`; absent: not asked. */
  readonly limits?: string;
}

const usual: CgroupPlaces = { mount: '/sys/fs/cgroup', membership: '/proc/self/cgroup', limits: '/proc/self/limits' };

/**
 * The tightest limits of this process' control group and of those around it, version 2 or 1
 * (kernel.org, admin-guide/cgroup-v2 and cgroup-v1; cgroups(7)), and of its descriptors (proc_pid_limits(5)). What cannot
 * be read limits nothing.
 */
export function readContainerLimits(places: CgroupPlaces = usual): ContainerLimits {
  const groups = parseMembership(read(places.membership));
  const cpus: (number | undefined)[] = [];
  const memory: (number | undefined)[] = [];
  for (const folder of foldersOf(places.mount, '', groups.unified)) {
    const [limit, period] = words(read(join(folder, 'cpu.max')));
    cpus.push(quota(limit, period));
    memory.push(bytes(read(join(folder, 'memory.max'))));
  }
  for (const folder of foldersOf(places.mount, 'cpu', groups.cpu)) {
    const [limit] = words(read(join(folder, 'cpu.cfs_quota_us')));
    const [period] = words(read(join(folder, 'cpu.cfs_period_us')));
    cpus.push(quota(limit, period));
  }
  for (const folder of foldersOf(places.mount, 'memory', groups.memory)) {
    memory.push(bytes(read(join(folder, 'memory.limit_in_bytes'))));
  }
  const descriptors = places.limits === undefined ? undefined : openFiles(read(places.limits));
  return { cpus: least(cpus), memoryBytes: least(memory), descriptors };
}

interface Membership {
  /** Path of the group in version 2. */
  readonly unified: string;
  /** In version 1. */
  readonly cpu: string;
  readonly memory: string;
}

/** Lines such as `0::/system.slice/x.service` and `4:cpu,cpuacct:/docker/1f`. */
function parseMembership(text: string): Membership {
  const lines = text.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const pathOf = (controller: string): string =>
    lines.find((line) => line?.[1]?.split(',').includes(controller))?.[2] ?? '/';
  return { unified: pathOf(''), cpu: pathOf('cpu'), memory: pathOf('memory') };
}

/** The group's folder and those around it. In a container the path may be the host's, and only the mount itself is there. */
function foldersOf(mount: string, controller: string, path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return Array.from({ length: parts.length + 1 }, (_, depth) => join(mount, controller, ...parts.slice(0, depth)));
}

function quota(limit: string | undefined, period: string | undefined): number | undefined {
  const share = Number(limit) / Number(period);
  return Number.isFinite(share) && share > 0 ? share : undefined;
}

/** Version 1 writes "no limit" as the largest multiple of the page size. */
function bytes(text: string): number | undefined {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value > 0 && value < 2 ** 60 ? value : undefined;
}

/** The soft limit, which a child inherits; Node raises its own to the hard one when it starts. */
function openFiles(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The kernel answers at once. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Another version of control groups, or none: no limit is known.
    return '';
  }
}
