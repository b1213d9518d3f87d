import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogFile } from './log-file.ts';
import { openTargets } from './targets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = Date.parse('2026-01-02T03:04:05.678Z');
const at = (name: string): string => join(folder, name);

/** Names and texts of all files. */
function files(path = folder): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}

describe('LogFile', () => {
  test('appends to what is there', () => {
    writeFileSync(at('a.log'), 'before\n');
    new LogFile(at('a.log')).write('after\n');
    expect(files()).toEqual({ 'a.log': 'before\nafter\n' });
  });

  test('makes no folder', () => {
    expect(() => new LogFile(at('none/a.log'))).toThrow(/cannot write the log to ".*none\/a.log"/);
  });

  test('goes on in a new file of its path when it is opened again', () => {
    const file = new LogFile(at('a.log'));
    file.write('1\n');
    renameSync(at('a.log'), at('old'));
    file.write('2\n');
    file.reopen();
    file.write('3\n');
    expect(files()).toEqual({ old: '1\n2\n', 'a.log': '3\n' });
  });
});

describe('LogFile that is rotated', () => {
  const limits = { maxBytes: 8, maxBackups: 0, maxAgeDays: 0, now: () => start };

  test('is rotated before it exceeds its size, and loses no line', () => {
    const path = at('new/a.log');
    const file = new LogFile(path, limits);
    for (const line of ['1234\n', '12\n', '5\n', 'a line that is too long\n', '6\n']) file.write(line);
    expect(files(at('new'))).toEqual({
      'a-2026-01-02T03-04-05.678.log': '1234\n12\n',
      'a-2026-01-02T03-04-05.679.log': '5\n',
      'a-2026-01-02T03-04-05.680.log': 'a line that is too long\n',
      'a.log': '6\n',
    });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  test.each([
    [{ maxBackups: 1 }, ['a-2026-01-02T03-04-05.678.log']],
    [{ maxAgeDays: 1 }, ['a-2026-01-01T12-00-00.000.log', 'a-2026-01-02T03-04-05.678.log']],
    [{}, ['a-2025-12-31T12-00-00.000.log', 'a-2026-01-01T12-00-00.000.log', 'a-2026-01-02T03-04-05.678.log']],
  ])('keeps with %j these rotated files, and never removes other files', (changed, kept) => {
    for (const name of ['a-2025-12-31T12-00-00.000.log', 'a-2026-01-01T12-00-00.000.log', 'a-b.log', 'b.log']) {
      writeFileSync(at(name), '');
    }
    const file = new LogFile(at('a.log'), { ...limits, ...changed });
    file.write('12345678\n');
    file.write('1\n');
    expect(readdirSync(folder).sort()).toEqual([...kept, 'a-b.log', 'a.log', 'b.log'].sort());
  });

  test('goes on writing to its open file while it cannot be rotated, and is rotated later', () => {
    const path = at('new/a.log');
    const file = new LogFile(path, limits);
    file.write('1234567\n');
    renameSync(at('new'), at('moved'));
    writeFileSync(at('new'), 'no folder');
    file.write('2\n');
    expect(files(at('moved'))).toEqual({ 'a.log': '1234567\n2\n' });
    rmSync(at('new'));
    file.write('3\n');
    expect(files(at('new'))).toEqual({ 'a.log': '3\n' });
  });
});

describe('openTargets', () => {
  test('writes each line once to each file', () => {
    const targets = openTargets([{ path: at('a') }, { path: at('b') }, { path: at('a') }]);
    targets.write('1\n');
    expect(files()).toEqual({ a: '1\n', b: '1\n' });
  });

  test('reports once that a target cannot be written, counts lost lines, and goes on with the other targets', () => {
    const said: string[] = [];
    const targets = openTargets([{ path: '/dev/full' }, { path: at('a') }], (text) => said.push(text));
    let lost = 0;
    targets.onLost(() => {
      lost += 1;
    });
    for (const line of ['1\n', '2\n']) targets.write(line);
    expect(said).toEqual([expect.stringMatching(/^cannot write the log to "\/dev\/full", lines are lost: ENOSPC/)]);
    expect(lost).toBe(2);
    expect(files()).toEqual({ a: '1\n2\n' });
  });

  test('keeps a file that cannot be opened again', () => {
    const said: string[] = [];
    mkdirSync(at('logs'));
    const targets = openTargets([{ path: at('logs/a') }], (text) => said.push(text));
    renameSync(at('logs'), at('moved'));
    targets.reopen();
    targets.write('1\n');
    expect(files(at('moved'))).toEqual({ a: '1\n' });
    expect(said).toEqual([expect.stringContaining('the file of before stays in use: ENOENT')]);
    mkdirSync(at('logs'));
    targets.reopen();
    targets.write('2\n');
    expect(existsSync(at('logs/a'))).toBe(true);
  });
});
