import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { writeProgram } from '../testing/write-program.ts';
import { refusal, validateConfig } from './validate.ts';

const stamp = '[2026-01-01 00:00:00.000][1][critical][main] [source/server/config_validation/server.cc:76]';
const start = `${stamp} error initializing configuration '/tmp/x.json':`;
const exit = { code: 1, signal: null };

describe('refusal', () => {
  test.each([
    [
      'an unknown field',
      `${start} Protobuf message (type x reason near   1:7  (offset 6): no such field: 'a') has unknown fields\n`,
      "Protobuf message (type x reason near 1:7 (offset 6): no such field: 'a') has unknown fields",
    ],
    [
      'the configuration after a reason',
      `${start} Unable to parse JSON as proto (INVALID_ARGUMENT: near 1:2): {"key":"s3cret"}\n`,
      'Unable to parse JSON as proto (INVALID_ARGUMENT: near 1:2)',
    ],
    [
      'the message before a reason',
      `${start} goo.gle/debugstr  \nkey: "s3cret"\n: Proto constraint validation failed (A.B: must be set)\n`,
      'Proto constraint validation failed (A.B: must be set)',
    ],
    [
      'the message after a reason',
      `${start} Invalid duration: negative: goo.gle/debugproto \nseconds: -1\nkey: "s3cret"\n`,
      'Invalid duration: negative',
    ],
    [
      'a key',
      `${start} bad key -----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY----- here\n`,
      'bad key [PEM] here',
    ],
    ['later log lines', `${start} no listener\n${stamp} exiting\n`, 'no listener'],
    ['nothing', '', 'Envoy refused the configuration with exit code 1'],
  ])('gives the reason alone: %s', (_, errors, message) => {
    expect(refusal(errors, exit)).toBe(message);
  });

  test('names the signal when Envoy aborts', () => {
    expect(refusal('trace: s3cret', { code: null, signal: 'SIGABRT' })).toBe(
      'Envoy aborted (SIGABRT) while it read the configuration',
    );
  });
});

describe('validateConfig', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'validate-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const left = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
  /** A program that is no Envoy, and does with its arguments what the script says. */
  const program = (script: string): string => {
    const path = join(folder, 'program');
    writeProgram(path, script);
    return path;
  };

  test('hands over a file in a folder whose name the tidying of leftovers knows, and removes it', async () => {
    const seen = join(folder, 'seen');
    const binary = program(`stat -c '%a %n' "$4" "$(dirname "$4")" > ${seen}`);
    expect(await validateConfig(binary, { node: {} }, { folder })).toMatchObject({ ok: true });
    const [file, parent] = (await readFile(seen, 'utf8')).trimEnd().split('\n');
    expect(file).toMatch(/^600 .*\/bootstrap\.json$/);
    expect(parent?.startsWith(`700 ${folder}/`) && parent.endsWith('.tmp')).toBe(true);
    expect(await left()).toEqual([]);
  });

  test('is ended by the signal at once: Envoy is killed, and its file is gone before the listener returns', async () => {
    const pid = join(folder, 'pid');
    const binary = program(`echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 60`);
    const quit = new AbortController();
    const validation = validateConfig(binary, {}, { folder, signal: quit.signal });
    const ended = expect(validation).rejects.toThrow('asked to stop');
    await eventually(() => expect(existsSync(pid)).toBe(true));
    expect(await left()).toHaveLength(1);
    quit.abort(new Error('asked to stop'));
    expect(readdirSync(folder).sort()).toEqual(['pid', 'program']);
    await ended;
    const id = Number(await readFile(pid, 'utf8'));
    expect(() => process.kill(id, 0)).toThrow('ESRCH');
  });

  test('starts nothing when the signal has fired', async () => {
    const binary = program(`touch ${join(folder, 'started')}`);
    const signal = AbortSignal.abort(new Error('asked to stop'));
    await expect(validateConfig(binary, {}, { folder, signal })).rejects.toThrow('asked to stop');
    expect(await readdir(folder)).toEqual(['program']);
  });

  test('says where it cannot write, each time in the same words: none of them is the name of a temporary folder', async () => {
    const absent = join(folder, 'absent');
    for (let i = 0; i < 2; i++) {
      await expect(validateConfig('/bin/true', {}, { folder: absent })).rejects.toMatchObject({
        message: `cannot write the configuration for Envoy to check below "${absent}"`,
        cause: { message: `ENOENT: no such file or directory, mkdir '${absent}'` },
      });
    }
  });
});
