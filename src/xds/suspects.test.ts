import { describe, expect, test } from 'vitest';
import { Suspects } from './suspects.ts';
import { resource } from './testing/resources.ts';

const many = (count: number) => Array.from({ length: count }, (_, i) => resource(`r${i}-`, '1'));

/** Answers probes as a client that refuses `bad` does, and counts them. */
function search(names: ReadonlySet<string>, count: number, message = ''): { found: string[]; probes: number } {
  const suspects = new Suspects();
  const found = suspects.begin(many(count), message).map(({ name }) => name);
  let probes = 0;
  for (let { probe } = suspects; probe !== undefined; { probe } = suspects) {
    probes++;
    found.push(...suspects.settle(!probe.some(({ name }) => names.has(name))).map(({ name }) => name));
  }
  return { found, probes };
}

describe('Suspects', () => {
  test('find one bad resource among thousands within 16 responses', () => {
    for (const bad of ['r0-', 'r1700-', 'r3305-']) {
      const { found, probes } = search(new Set([bad]), 3306);
      expect(found).toEqual([bad]);
      expect(probes).toBeLessThanOrEqual(12);
    }
  });

  test('try first what the message names', () => {
    expect(search(new Set(['r7-']), 3306, 'cluster r7-: no')).toEqual({ found: ['r7-'], probes: 1 });
  });

  test('find one of several, and leave the others to the next refusal', () => {
    const { found } = search(new Set(['r1-', 'r2-', 'r9-']), 10);
    expect(found).toHaveLength(1);
    expect(['r1-', 'r2-', 'r9-']).toContain(found[0]);
  });

  test('hold back a found version and no other one', () => {
    const suspects = new Suspects();
    expect(suspects.begin([resource('a', '1')], '')).toHaveLength(1);
    expect(suspects.holds(resource('a', '1'))).toBe(true);
    expect(suspects.holds(resource('a', '2'))).toBe(false);
    suspects.clear();
    expect(suspects.holds(resource('a', '1'))).toBe(false);
  });

  test('hold back what is searched, until it is known to be good', () => {
    const suspects = new Suspects();
    const [a, b] = [resource('a', '1'), resource('b', '1')];
    suspects.begin([a, b], '');
    expect([suspects.holds(a), suspects.holds(b)]).toEqual([true, true]);
    expect(suspects.probe).toEqual([a]);
    expect(suspects.settle(true)).toEqual([{ name: 'b', version: b.version }]);
    expect([suspects.holds(a), suspects.holds(b)]).toEqual([false, true]);
  });
});
