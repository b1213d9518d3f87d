import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readContainerLimits } from './container-limits.ts';

const GiB = 2 ** 30;

describe('readContainerLimits', () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test.each<[string, string, Readonly<Record<string, string>>, object]>([
    ['nothing limits', '0::/\n', {}, { cpus: undefined, memoryBytes: undefined }],
    [
      'a container of version 2',
      '0::/\n',
      { 'cpu.max': '150000 100000\n', 'memory.max': `${GiB}\n` },
      { cpus: 1.5, memoryBytes: GiB },
    ],
    [
      'version 2 without limits',
      '0::/\n',
      { 'cpu.max': 'max 100000\n', 'memory.max': 'max\n' },
      { cpus: undefined, memoryBytes: undefined },
    ],
    [
      'a service of a machine, limited by its slice',
      '0::/mesh.slice/proxy.service\n',
      {
        'mesh.slice/cpu.max': '50000 100000\n',
        'mesh.slice/proxy.service/cpu.max': '200000 100000\n',
        'mesh.slice/proxy.service/memory.max': '1000000\n',
      },
      { cpus: 0.5, memoryBytes: 1_000_000 },
    ],
    [
      'a container of version 1 that sees the path of its host',
      '5:memory:/docker/1f\n4:cpu,cpuacct:/docker/1f\n',
      {
        'cpu/cpu.cfs_quota_us': '250000\n',
        'cpu/cpu.cfs_period_us': '100000\n',
        'memory/memory.limit_in_bytes': `${2 * GiB}\n`,
      },
      { cpus: 2.5, memoryBytes: 2 * GiB },
    ],
    [
      'version 1 without limits',
      '5:memory:/\n4:cpu,cpuacct:/\n',
      {
        'cpu/cpu.cfs_quota_us': '-1\n',
        'cpu/cpu.cfs_period_us': '100000\n',
        'memory/memory.limit_in_bytes': '9223372036854771712\n',
      },
      { cpus: undefined, memoryBytes: undefined },
    ],
    [
      'a path that climbs',
      '0::/../../other\n',
      { 'memory.max': 'a lot\n' },
      { cpus: undefined, memoryBytes: undefined },
    ],
  ])('reads %s', async (_, membership, files, expected) => {
    folder = await mkdtemp(join(tmpdir(), 'cgroup-'));
    const mount = join(folder, 'fs');
    await writeFile(join(folder, 'membership'), membership);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(mount, name)), { recursive: true });
      await writeFile(join(mount, name), text);
    }
    expect(readContainerLimits({ mount, membership: join(folder, 'membership') })).toEqual(expected);
  });

  test.each([
    ['1024                 1048576', 1024],
    ['unlimited            unlimited', undefined],
  ])('reads %s open files', async (limit, descriptors) => {
    folder = await mkdtemp(join(tmpdir(), 'limits-'));
    const limits = join(folder, 'limits');
    await writeFile(
      limits,
      `Limit    Soft Limit    Hard Limit    Units\nMax open files            ${limit}    files\n`,
    );
    const places = { mount: folder, membership: join(folder, 'none'), limits };
    expect(readContainerLimits(places)).toMatchObject({ descriptors });
  });
});
