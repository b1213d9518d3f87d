import { describe, expect, test } from 'vitest';
import { parseDiff, touchesDocument } from './changed-lines.ts';

describe('parseDiff', () => {
  test('reads lines that were added, altered and removed, and names with quotes', () => {
    const diff = [
      'diff --git a/a.yaml b/a.yaml',
      '--- a/a.yaml',
      '+++ b/a.yaml',
      '@@ -3 +3,2 @@ kind: A',
      '-a',
      '+++ b/no-header.yaml',
      '+b',
      '@@ -9,2 +9,0 @@',
      '-c',
      '-d',
      'diff --git "a/b\\303\\251 \\"q\\".yaml" "b/b\\303\\251 \\"q\\".yaml"',
      '--- /dev/null',
      '+++ "b/b\\303\\251 \\"q\\".yaml"',
      '@@ -0,0 +1 @@',
      '+e',
      'diff --git a/gone.yaml b/gone.yaml',
      '--- a/gone.yaml',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-f',
    ];
    expect([...parseDiff(diff.join('\n'))]).toEqual([
      [
        'a.yaml',
        {
          ranges: [
            { first: 3, last: 4 },
            { first: 9, last: 10 },
          ],
        },
      ],
      ['bé "q".yaml', { ranges: [{ first: 1, last: 1 }] }],
    ]);
  });
});

describe('touchesDocument', () => {
  const text = 'a\nb\n---\nc\nd\n---\ne\n';
  test.each([
    [1, 2, 1, true],
    [4, 4, 5, true],
    [3, 3, 5, true],
    [1, 2, 5, false],
    [6, 7, 5, false],
    [7, 7, 7, true],
  ])('lines %i to %i of a file are in the document of line %i: %s', (first, last, line, expected) => {
    expect(touchesDocument({ ranges: [{ first, last }] }, text, line)).toBe(expected);
  });
});
