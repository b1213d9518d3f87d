import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findEnvoy } from '../../envoy/process.ts';
import { envoyLogFormat, envoyZone } from './envoy-log-format.ts';

const binary = findEnvoy({ env: process.env, repositoryRoot: process.cwd() });

describe('envoyLogFormat', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'envoy-log-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** What Envoy's logger says, on a machine in Tokyo, of a bootstrap that it refuses with a message of two lines. */
  const linesOf = async (isJson: boolean): Promise<string[]> => {
    const path = join(folder, 'bootstrap.json');
    const text = JSON.stringify({ unknown: true });
    await writeFile(path, text);
    const format = envoyLogFormat(isJson, text) ?? '';
    const { stderr } = await execa(
      binary,
      ['-c', path, '--disable-hot-restart', '-l', 'info', '--log-format', format],
      {
        env: Object.assign({ TZ: 'Asia/Tokyo' }, envoyZone),
        reject: false,
      },
    );
    // Envoy varies the blanks in protobuf's messages. The last line is the exception as such, which Envoy prints beside its log.
    return stderr.split('\n').slice(0, -1);
  };

  test('makes the real Envoy write one line a message in the console form, in UTC wherever the machine is', async () => {
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\t[a-z]+\tenvoy \w+\t/;
    const lines = await linesOf(false);
    expect(lines.filter((line) => !form.test(line))).toEqual([]);
    const refusal = lines.find((line) => line.includes('\tcritical\tenvoy main\t'));
    expect(refusal).toMatch(/has\s+unknown\s+fields/);
    expect(Math.abs(Date.parse(refusal!.split('\t')[0]!) - Date.now())).toBeLessThan(60_000);
  });

  test('makes the real Envoy write one object a line', async () => {
    const objects = (await linesOf(true)).map((line) => JSON.parse(line) as Record<string, string>);
    expect(objects.map((it) => Object.keys(it).join())).toEqual(objects.map(() => 'level,time,scope,msg'));
    const refusal = objects.find(({ level }) => level === 'critical');
    expect(refusal).toMatchObject({ scope: 'envoy main', msg: expect.stringMatching(/has\s+unknown\s+fields/) });
  });
});
