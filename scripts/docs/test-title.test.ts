import { describe, expect, test } from 'vitest';
import { testTitle } from './test-title.ts';

const path = 'scripts/docs/test-title.test.ts';

describe('testTitle', () => {
  describe.each([
    ['a', 1],
    ['b', 2],
  ])('of a table with %s', (letter, number) => {
    test('names a test with its groups', () => {
      expect(testTitle({ path, name: 'names a test with its groups', row: undefined })).toBe(
        `${path}: testTitle > of a table with %s > names a test with its groups`,
      );
      expect([letter, number]).toHaveLength(2);
    });
  });

  test.each(['x'])('fills the first hole with the row %s', (row) => {
    expect(testTitle({ path, name: 'fills the first hole with the row %s', row })).toBe(
      `${path}: testTitle > fills the first hole with the row x`,
    );
  });

  test('names a test that has no group by its file', () => {
    expect(testTitle({ path: 'scripts/docs/absent.test.ts', name: 'a', row: undefined })).toBe(
      'scripts/docs/absent.test.ts: a',
    );
  });
});
