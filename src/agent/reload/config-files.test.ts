import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { ConfigFiles } from './config-files.ts';
import type { ProxyFiles } from './proxy-files.ts';

describe('ConfigFiles', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'config-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const files = (origins: string): ProxyFiles => ({
    ...sampleFiles({ configPath: folder, adminPort: 1, httpPort: 2, body: '' }),
    beside: new Map([['origins.json', origins]]),
  });
  const origins = async (): Promise<[text: string, inode: number]> => {
    const path = join(folder, 'origins.json');
    return [await readFile(path, 'utf8'), (await stat(path)).ino];
  };

  test('writes what lies beside the configuration only when it differs', async () => {
    const config = new ConfigFiles(folder);
    await config.writeAll(files('{"a": 1}'));
    await config.complete();
    const first = await origins();
    await config.writeBeside(files('{"a": 1}'));
    expect(await origins()).toEqual(first);
    await config.writeBeside(files('{"a": 2}'));
    expect((await origins())[0]).toBe('{"a": 2}');
  });

  test('leaves to a later moment what Envoy can start without, and writes that once', async () => {
    const config = new ConfigFiles(folder);
    const listeners = (): Promise<string> => readFile(join(folder, 'listeners.json'), 'utf8');
    await config.writeAll(files('{}'), { holdsListeners: true });
    expect(JSON.parse(await listeners())).toEqual({ version_info: '', resources: [] });
    await expect(origins()).rejects.toThrow('ENOENT');
    await config.complete();
    expect([await listeners(), (await origins())[0]]).toEqual([files('{}').listeners, '{}']);
    const before = await origins();
    await config.complete();
    expect(await origins()).toEqual(before);
  });

  test('writes all of it again after a change that was given up', async () => {
    const config = new ConfigFiles(folder);
    await config.writeAll(files('{"a": 1}'));
    await config.complete();
    await rm(join(folder, 'origins.json'));
    await config.restore(files('{"a": 1}'));
    expect((await origins())[0]).toBe('{"a": 1}');
  });
});
