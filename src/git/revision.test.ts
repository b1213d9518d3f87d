import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseRevision } from './revision.ts';

describe('parseRevision', () => {
  test.each([
    ['main', 'main', ''],
    ['HEAD', 'HEAD', ''],
    ['main:mesh', 'main', 'mesh'],
    ['refs/heads/a/b:./mesh//east/', 'refs/heads/a/b', 'mesh/east'],
    ['main:', 'main', ''],
    ['main:a:b', 'main', 'a:b'],
    [`${'0123456789'.repeat(4)}:x`, '0123456789'.repeat(4), 'x'],
  ])('reads %s', (text, name, folder) => {
    expect(parseRevision(text)).toEqual({ text, name, folder });
  });

  test('refuses @, which git takes for HEAD', () => {
    expect(parseRevision('@')).toEqual({ expected: expect.stringContaining('HEAD, a branch') });
  });

  test.each(['main:../x', 'main:a/../../x'])('refuses the folder of %s', (text) => {
    expect(parseRevision(text)).toEqual({ expected: expect.stringContaining('without ".."') });
  });

  test.each([
    ...['', '-q', 'main~1', 'main^', 'main@{1}', 'a..b', 'a b', '.a', 'a/.b', 'a.lock', 'a.lock/b', 'a/', '/a'],
    ...['a//b', 'a.', 'a*', 'a?', 'a[', 'a\\b', 'a\u0001', 'a\u007f', 'ä/ö', 'a@b', '@a', 'a.b', 'a-'],
  ])('takes %j for a name if git does', (text) => {
    const isNameOfGit = (): boolean => {
      try {
        execFileSync('git', ['check-ref-format', '--branch', text], { stdio: 'ignore', cwd: '/' });
        return true;
      } catch {
        return false;
      }
    };
    expect('name' in parseRevision(text)).toBe(isNameOfGit());
  });
});
