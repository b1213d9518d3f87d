import { expect, test } from 'vitest';
import { type ApiProblemCode, checkMessage } from '../check.ts';

/** One bad and one good message for one rule, which differ by as little as can be. */
export type Row = readonly [
  rule: string,
  type: string,
  bad: unknown,
  path: string,
  code: ApiProblemCode,
  good: unknown,
];

/** What one table of rules holds: a breach is found where it is, and nothing in its good twin. */
export function testRows(rows: readonly Row[]): void {
  test.each(rows)(
    '%s: a breach is found where it is, and nothing in its good twin',
    (_, type, bad, path, code, good) => {
      expect(checkMessage(type, bad).map((problem) => [problem.path, problem.code])).toEqual([[path, code]]);
      expect(checkMessage(type, good)).toEqual([]);
    },
  );
}
