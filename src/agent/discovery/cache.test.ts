import { createHash } from 'node:crypto';
import { chmod, link, mkdtemp, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentVersion } from '../../xds/resource.ts';
import { ConfigurationCache } from './cache.ts';

const owner = { identity: 'spiffe://cluster.local/ns/foo/sa/web', workload: 'sidecar~ip~web.foo~x', roots: ['AA'] };
const resource = (name: string, text = name) => ({ name, version: contentVersion(text), body: Buffer.from(text) });
const resources = { clusters: [resource('a'), resource('b')], endpoints: [], listeners: [resource('in')], routes: [] };

describe('ConfigurationCache', () => {
  let folder: string;
  let path: string;
  let cache: ConfigurationCache;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cache-'));
    path = join(folder, 'discovery-cache');
    cache = new ConfigurationCache(path);
    await cache.write(owner, resources, Date.now() - 5_000);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const problem = async (): Promise<string | undefined> => {
    const answer = await cache.read(Date.now());
    return 'problem' in answer ? answer.problem : 'none';
  };

  test('returns what was written, with its owner and the time since the last confirmation by the control plane', async () => {
    const answer = await cache.read(Date.now());
    if ('problem' in answer) throw new Error(answer.problem);
    expect(answer.owner).toEqual(owner);
    expect(answer.resources.clusters.map(({ name, version }) => [name, version])).toEqual(
      resources.clusters.map(({ name, version }) => [name, version]),
    );
    expect(Buffer.from(answer.resources.listeners[0]?.body ?? []).toString()).toBe('in');
    expect(answer.ageMs).toBeGreaterThanOrEqual(4_900);
    await cache.confirm(Date.now());
    const later = await cache.read(Date.now());
    expect('problem' in later ? undefined : later.ageMs).toBeLessThan(1_000);
  });

  test('has the names of the mesh, and none in a file for older agents', async () => {
    const texts = async (): Promise<string[]> => {
      const answer = await cache.read(Date.now());
      return 'problem' in answer
        ? [answer.problem ?? '']
        : answer.names.map(({ body }) => Buffer.from(body).toString());
    };
    await cache.write(owner, { ...resources, names: [resource('shop/web'), resource('suffixes')] }, Date.now());
    expect(await texts()).toEqual(['shop/web', 'suffixes']);
    await cache.write(owner, resources, Date.now());
    const [, content = ''] = /^.*\n([\s\S]*)$/.exec(await readFile(path, 'utf8')) ?? [];
    // An older agent reads it.
    expect(content).toContain('"format":1');
    expect(await texts()).toEqual([]);
    const newer = content.replace('"format":1', '"format":3');
    await writeFile(path, `${createHash('sha256').update(newer).digest('hex')}\n${newer}`);
    expect(await texts()).toEqual(['its format is 3, expected 2']);
  });

  test('is a file of mode 600', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('is empty without a file', async () => {
    await cache.remove();
    expect(await problem()).toBeUndefined();
  });

  test('is not used if one byte has changed', async () => {
    for (const at of [0, 64, 70, -1]) {
      const bytes = await readFile(path);
      const place = at < 0 ? bytes.length + at : at;
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      await writeFile(path, bytes);
      expect(await problem()).toBe('it is cut off, or was changed');
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      await writeFile(path, bytes);
    }
    expect(await problem()).toBe('none');
  });

  test('is not used if it is truncated, at any place', async () => {
    const { size } = await stat(path);
    for (const length of [size - 1, 66, 64, 1, 0]) {
      await truncate(path, length);
      expect(await problem()).toBe('it is cut off, or was changed');
    }
  });

  test('is not used if others can read or write it', async () => {
    for (const mode of [0o640, 0o602, 0o644, 0o700]) {
      await chmod(path, mode);
      expect(await problem()).toBe(`its mode is ${mode.toString(8)}, expected 600`);
    }
  });

  test('is not used if it is a symbolic link or has a second hard link', async () => {
    await link(path, join(folder, 'other'));
    expect(await problem()).toBe('it has 2 names (hard links), expected 1');
    await cache.remove();
    await symlink(join(folder, 'other'), path);
    expect(await problem()).toBe('it cannot be read (ELOOP)');
  });

  test('is neither used nor read if it is huge', async () => {
    await truncate(path, 2 ** 40);
    expect(await problem()).toMatch(/^it has 1099511627776 bytes/);
  });

  test('is not used if its time is in the future', async () => {
    const later = Date.now() / 1000 + 3_600;
    await utimes(path, later, later);
    expect(await problem()).toBe('it was written in the future');
  });

  test('contains no private key, and keeps the previous content', async () => {
    const secret = resource('key', '-----BEGIN PRIVATE KEY-----\nx\n');
    await expect(cache.write(owner, { ...resources, listeners: [secret] }, Date.now())).rejects.toThrow('private key');
    expect(await problem()).toBe('none');
  });
});
