import { describe, expect, test } from 'vitest';
import { zoneName } from '../../dns/testing/sample-zone.ts';
import { NameTeller } from './name-changes.ts';
import type { ServiceName } from './name-table.ts';
import { ServedNames } from './served-names.ts';

const nameOf = (name: string, addresses: readonly string[] = []): ServiceName => ({
  ...zoneName(name, { addresses }),
  service: `shop/${name}`,
});
const [a, b, c] = [nameOf('a.global'), nameOf('b.global'), nameOf('c.global', ['10.0.0.1'])];
const scopes = { scopes: [], goneScopes: [], workloads: [], goneWorkloads: [] };
const suffixes = ['global'];

describe('names that one thread tells another', () => {
  test('are told once, then what differs of them', () => {
    const teller = new NameTeller();
    const first = new Map([
      ['a', a],
      ['b', b],
    ]);
    expect(teller.changesTo(first, suffixes)).toEqual({ isWhole: true, suffixes, changed: [...first], removed: [] });
    expect(teller.changesTo(new Map(first), suffixes)).toBeUndefined();
    const second = new Map([
      ['a', a],
      ['c', c],
    ]);
    expect(teller.changesTo(second, suffixes)).toEqual({
      isWhole: false,
      suffixes,
      changed: [['c', c]],
      removed: ['b'],
    });
    expect(teller.changesTo(second, ['global', 'corp'])).toMatchObject({ isWhole: true, changed: [...second] });
  });

  test('are served as they were told last, and not before', () => {
    const served = new ServedNames();
    expect(served.zone).toBeUndefined();
    const found = (name: string): unknown => served.zone?.find([name, 'global'], undefined).type;
    served.take({
      isWhole: true,
      suffixes,
      changed: [
        ['a', a],
        ['b', b],
      ],
      removed: [],
      scopes,
    });
    served.take({ isWhole: false, suffixes, changed: [['c', c]], removed: ['b'], scopes });
    expect([found('a'), found('b'), found('c')]).toEqual(['known', 'missing', 'known']);
    // A thread that is started again knows nothing of what was told.
    served.take({ isWhole: true, suffixes, changed: [['b', b]], removed: [], scopes });
    expect([found('a'), found('b'), found('c')]).toEqual(['missing', 'known', 'missing']);
  });
});
