import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from './bag.ts';

describe('DiagnosticBag', () => {
  test('keeps the hint of the code unless the case has a better one', () => {
    const bag = new DiagnosticBag();
    bag.report('duplicate-object', undefined, { kind: 'Service', first: 'a.yaml', name: 'a/b' });
    bag.report('duplicate-object', undefined, { kind: 'Service', first: 'a.yaml', name: 'a/b' }, { hint: 'rename it' });
    expect(bag.all.map(({ hint }) => hint)).toEqual([expect.stringMatching(/^remove one of the two;/), 'rename it']);
  });
});
