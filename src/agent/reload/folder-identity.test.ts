import { describe, expect, test } from 'vitest';
import { isSameFolder } from './folder-identity.ts';

describe('isSameFolder', () => {
  const before = { dev: 1, ino: 2, birthtimeMs: 10, ctimeMs: 20 };
  test.each([
    ['the same folder, changed since', before, { ctimeMs: 30 }, true],
    ['another number', before, { ino: 3 }, false],
    ['another file system', before, { dev: 3 }, false],
    ['the number of one that was removed', before, { birthtimeMs: 30, ctimeMs: 30 }, false],
    ['no births, changed since', { ...before, birthtimeMs: 20 }, { birthtimeMs: 30, ctimeMs: 30 }, true],
  ])('%s', (_, first, change, expected) => {
    expect(isSameFolder(first, { ...first, ...change })).toBe(expected);
  });
});
