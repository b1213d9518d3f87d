import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Memo } from './memo.ts';

const workload = {};
const policies = Array.from({ length: 9 }, () => ({}));

/** Makes the results that each run asks for, and gives how often something was made in it. */
function madeIn(runs: readonly (readonly number[])[]): number[] {
  const memo = new Memo();
  return runs.map((asked) => {
    memo.nextRun();
    let made = 0;
    for (const at of asked) memo.of([workload, policies[at] ?? {}], 'listener', new DiagnosticBag(), () => ++made);
    return made;
  });
}

describe('a memo', () => {
  test.each([
    [
      'keeps all that one run asks for',
      [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
      ],
      [4, 0],
    ],
    [
      'keeps what the run before asked for: a change that is taken back costs nothing',
      [[0], [1], [0], [1]],
      [1, 1, 0, 0],
    ],
    ['lets go of what two runs did not ask for', [[0], [1], [2], [0]], [1, 1, 1, 1]],
    [
      'keeps what every run asks for',
      [
        [0, 1],
        [0, 2],
        [0, 3],
        [0, 4],
      ],
      [2, 1, 1, 1],
    ],
  ])('%s', (_, runs, made) => {
    expect(madeIn(runs)).toEqual(made);
  });

  test('lets go of labels that are asked for no more, and of none that each run asks for', () => {
    const memo = new Memo();
    const made: string[] = [];
    const ask = (label: string) => memo.of([workload], label, new DiagnosticBag(), () => made.push(label));
    const scopes = Array.from({ length: 100 }, (_, i) => `scope ${i}`);
    for (const scope of scopes) {
      memo.nextRun();
      ask('always');
      ask(scope);
    }
    for (const scope of scopes) ask(scope);
    expect(made.filter((label) => label === 'always')).toEqual(['always']);
    const again = made.length - 1 - scopes.length;
    expect(again).toBeGreaterThan(60);
  });
});
