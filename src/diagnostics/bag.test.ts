import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from './bag.ts';

describe('DiagnosticBag', () => {
  test('tells another bag what is reported late', () => {
    const [reader, run] = [new DiagnosticBag(), new DiagnosticBag()];
    reader.report('unknown-workload', undefined, { name: 'early' });
    reader.forwardTo(run);
    expect(run.hasErrors).toBe(false);
    reader.report('unknown-workload', undefined, { name: 'late' });
    expect(run.all.map(({ message }) => message)).toEqual(['there is no workload "late" in the inputs']);
    expect(reader.all.length).toBe(2);
  });

  test('keeps the hint of the code unless the case has a better one', () => {
    const bag = new DiagnosticBag();
    bag.report('duplicate-object', undefined, { kind: 'Service', first: 'a.yaml', name: 'a/b' });
    bag.report('duplicate-object', undefined, { kind: 'Service', first: 'a.yaml', name: 'a/b' }, { hint: 'rename it' });
    expect(bag.all.map(({ hint }) => hint)).toEqual([expect.stringMatching(/^keep one of the two;/), 'rename it']);
  });
});
