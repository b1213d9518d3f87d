import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findEnvoy } from '../process.ts';
import { formatVersion, readVersion } from '../read-version.ts';
import { apiVersion } from './check.ts';
import { anyTypes } from './schema.ts';

const repositoryRoot = path.resolve(import.meta.dirname, '../../..');
const generator = path.join(repositoryRoot, 'scripts', 'envoy-api');

// The Go and the modules that `make setup` fetched, and no network.
const goRoot = path.join(repositoryRoot, '.tools/go');
const env = {
  ...process.env,
  PATH: `${path.join(goRoot, 'bin')}:${process.env.PATH}`,
  GOROOT: goRoot,
  GOMODCACHE: path.join(repositoryRoot, '.tools/go-modules'),
  GOPROXY: 'off',
};

describe('schema.json', () => {
  test('is of the release that the lock file pins, and names the types of the list', () => {
    const lock = readFileSync(path.join(generator, 'go.mod'), 'utf8');
    expect(lock).toContain(`github.com/envoyproxy/go-control-plane/envoy v${apiVersion}\n`);
    const list = readFileSync(path.join(generator, 'types.txt'), 'utf8').split('\n');
    expect([...anyTypes].sort()).toEqual(list.filter((line) => line !== '' && !line.startsWith('#')).sort());
  });

  test('is of the release of Envoy that runs in these tests', async () => {
    const version = await readVersion(findEnvoy({ env: process.env, repositoryRoot }));
    expect(formatVersion(version)).toBe(apiVersion);
  });

  test('is what a fresh run of its generator writes', () => {
    const run = [path.join(generator, 'generate.mjs'), '--check'];
    expect(() => execFileSync(process.execPath, run, { env, stdio: 'pipe' })).not.toThrow();
  });
});
