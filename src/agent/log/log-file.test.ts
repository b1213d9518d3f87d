import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLogFile, openRotatingFile } from './log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = Date.parse('2026-01-02T03:04:05.678Z');

/** Names and texts of all files. */
function files(path = folder): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}

describe('openLogFile', () => {
  test('appends to what is there', () => {
    writeFileSync(join(folder, 'a.log'), 'before\n');
    openLogFile(join(folder, 'a.log'))('after\n');
    expect(files()).toEqual({ 'a.log': 'before\nafter\n' });
  });

  test('makes no folder', () => {
    expect(() => openLogFile(join(folder, 'none/a.log'))).toThrow(/cannot write the log to ".*none\/a.log"/);
  });
});

describe('openRotatingFile', () => {
  const limits = { maxBytes: 8, maxBackups: 0, maxAgeDays: 0, now: () => start };

  test('sets the file aside before it grows over its size, and loses no line', () => {
    const path = join(folder, 'new/a.log');
    const write = openRotatingFile({ ...limits, path });
    for (const line of ['1234\n', '12\n', '5\n', 'a line that is too long\n', '6\n']) write(line);
    expect(files(join(folder, 'new'))).toEqual({
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
  ])('keeps with %j of the files set aside, and all of others', (changed, kept) => {
    for (const name of ['a-2025-12-31T12-00-00.000.log', 'a-2026-01-01T12-00-00.000.log', 'a-b.log', 'b.log']) {
      writeFileSync(join(folder, name), '');
    }
    const write = openRotatingFile({ ...limits, ...changed, path: join(folder, 'a.log') });
    write('12345678\n');
    write('1\n');
    expect(readdirSync(folder).sort()).toEqual([...kept, 'a-b.log', 'a.log', 'b.log'].sort());
  });
});
