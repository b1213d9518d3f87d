import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

/** Blocks of the guide, in their order: a command, or what the command before it prints. */
const blocks = [...readFileSync('docs/guides/test-policies.md', 'utf8').matchAll(/```(sh|text)\n(.*?)```/gs)];

const commands = blocks.flatMap(([, language, text = ''], i) => {
  const next = blocks[i + 1];
  return language === 'sh' ? [{ command: text.trim(), printed: next?.[1] === 'text' ? next[2] : undefined }] : [];
});

describe('the guide "Test your policies in CI"', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-guide-'));
    cpSync('examples/policy-tests', folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(commands)('has a command that works as it says: $command', async ({ command, printed }) => {
    const [program, ...words] = command.split(' ');
    expect(program).toBe('meshpol');
    const inFolder = words.map((word) =>
      word.replace(
        /^((?:\w+=)?)(tests\/|policies$|results\.xml$|coverage\.)/,
        (_, form, path) => `${form}${folder}/${path}`,
      ),
    );
    const { code, out, error } = await run(inFolder);
    expect([code, error]).toEqual([0, '']);
    if (printed !== undefined) expect(out.replaceAll(`${folder}/`, '')).toBe(printed);
  });

  test('has a first test that passes beside the one of the example', async () => {
    await run(['test', '--init', join(folder, 'tests', 'first.yaml'), '--force', join(folder, 'policies')]);
    expect(await run(['test', join(folder, 'tests')])).toEqual({ code: 0, out: '25 passed, 0 failed\n', error: '' });
  });
});
