import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EnvoyNotFoundError, EnvoyStartError, exitCode, findEnvoy, spawnEnvoy } from './process.ts';

let root = '';
let own = '';
let onPath = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'find-envoy-')));
  own = await program('.tools/bin/envoy');
  onPath = await program('bin/envoy');
  await program('bin/other');
  await writeFile(path.join(root, 'text'), '');
});

afterAll(() => rm(root, { recursive: true, force: true }));

async function program(name: string): Promise<string> {
  const file = path.join(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
  return file;
}

describe('findEnvoy', () => {
  test('prefers the flag, then the variable, then the repository, then the path', () => {
    const env = { PATH: path.join(root, 'bin'), ENVOY_BINARY: path.join(root, 'bin/other') };
    expect(findEnvoy({ proxyBinary: own, env, repositoryRoot: '/nowhere' })).toBe(own);
    expect(findEnvoy({ env, repositoryRoot: root })).toBe(env.ENVOY_BINARY);
    expect(findEnvoy({ env: { PATH: env.PATH, ENVOY_BINARY: '' }, repositoryRoot: root })).toBe(own);
    expect(findEnvoy({ env: { PATH: env.PATH }, repositoryRoot: '/nowhere' })).toBe(onPath);
  });

  test('looks a name without slash up in the path', () => {
    expect(findEnvoy({ proxyBinary: 'envoy', env: { PATH: `/nowhere:${path.join(root, 'bin')}` } })).toBe(onPath);
  });

  test.each(['text', 'missing'])(
    'refuses a place that is named and holds no program, instead of searching on: %s',
    (name) => {
      const env = { PATH: path.join(root, 'bin'), ENVOY_BINARY: path.join(root, name) };
      expect(() => findEnvoy({ env, repositoryRoot: root })).toThrow(EnvoyNotFoundError);
    },
  );

  test('says what to do when there is none', () => {
    expect(() => findEnvoy({ env: {} })).toThrow(/make setup.*--proxyBinary.*ENVOY_BINARY/);
  });
});

describe('spawnEnvoy', () => {
  const sh = (script: string) => ({ binary: '/bin/sh', args: ['-c', script], output: 'ignore' as const });

  test.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('gives the exit status of the process: %s', async (script, code) => {
    const { exited } = await spawnEnvoy(sh(script));
    expect(exitCode(await exited)).toBe(code);
  });

  test('leads a process group of its own', async () => {
    const child = await spawnEnvoy(sh('sleep 60'));
    expect(process.kill(-child.pid, 0)).toBe(true);
    expect(child.signal('SIGTERM')).toBe(true);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(child.signal('SIGTERM')).toBe(false);
  });

  test('throws when the program cannot be started', async () => {
    await expect(spawnEnvoy({ binary: path.join(root, 'missing'), args: [] })).rejects.toThrow(EnvoyStartError);
  });
});
