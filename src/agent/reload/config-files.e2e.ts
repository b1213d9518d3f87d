import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { fileOf } from '../../testing/resource-files.ts';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { ConfigFiles } from './config-files.ts';

describe('ConfigFiles on a small disk', () => {
  let holder: ChildProcess;
  /** A file system of 100 KiB, which ends with the process that mounted it. */
  let folder: string;

  beforeEach(async () => {
    const script = 'mount -t tmpfs -o size=100k tmpfs /mnt && echo mounted && exec sleep 600';
    holder = spawn('unshare', ['--mount', 'sh', '-ec', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (holder.stdout !== null) await once(holder.stdout, 'data');
    folder = `/proc/${holder.pid}/root/mnt`;
  });
  afterEach(() => void holder.kill('SIGKILL'));

  const files = (body: string): ProxyFiles => {
    const sample = sampleFiles({ configPath: folder, adminPort: 1, httpPort: 2, body });
    return { ...sample, clusters: fileOf({ name: 'x'.repeat(25_000) }) };
  };

  test('replaces all files of an earlier run where there is no space for all of them twice', async () => {
    const body = 'b'.repeat(25_000);
    const written = ['bootstrap.json', 'clusters.json', 'listeners.json'];
    for (let run = 0; run < 2; run++) {
      await new ConfigFiles(folder).writeAll(files(body));
      expect(await readdir(folder)).toEqual(expect.arrayContaining(written));
    }
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('leaves no half file where there is no space for one', async () => {
    await expect(new ConfigFiles(folder).writeAll(files('b'.repeat(200_000)))).rejects.toThrow('cannot write');
    expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
