import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { isAlive } from '../testing/processes.ts';
import { writeProgram } from '../testing/write-program.ts';
import { readVersion } from './read-version.ts';

describe('readVersion', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'version-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const program = (script: string): string => {
    const path = join(folder, 'program');
    writeProgram(path, script);
    return path;
  };

  test('takes the answer to --version', async () => {
    const binary = program(`[ "$*" = --version ] && echo 'envoy  version: 0123abc/1.40.0/Clean/RELEASE/BoringSSL'`);
    expect(await readVersion(binary)).toEqual({ major: 1, minor: 40, patch: 0 });
  });

  test.each(['true', 'echo nginx/one', 'exit 1'])('refuses a program that does `%s`', async (script) => {
    await expect(readVersion(program(script))).rejects.toThrow('does not name a release of Envoy');
  });

  test('ends a program that does not answer', async () => {
    const binary = program(`echo $$ > ${folder}/pid; exec sleep 60`);
    await expect(readVersion(binary, { timeoutMs: 300 })).rejects.toThrow('--version does not answer within 0.3 s');
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });
});
