import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSoak, runs, tries } from '../testing/effort.ts';
import { History } from '../testing/history.ts';
import { histories } from '../testing/mesh-history.ts';
import type { Delivery } from './render/resource.ts';

/** Of so many changes one is compared with a fresh compiler, which costs more than all of them; in `make soak` each. */
const compared = tries(4, 1 / 4);

describe('update', () => {
  test('gives after twenty changes of a mesh what a fresh compiler gives, and on the way', {
    timeout: tries(300_000),
  }, () => {
    const seen = { compiled: 0, refused: 0 };
    fc.assert(
      fc.property(histories(20), fc.constantFrom<Delivery>('ads', 'files'), (happenings, delivery) => {
        const history = new History(delivery);
        for (const [i, happening] of happenings.entries()) {
          history.let(happening);
          if ((happenings.length - 1 - i) % compared > 0) continue;
          const wanted = history.fresh;
          seen[wanted.isCompiled ? 'compiled' : 'refused'] += 1;
          expect(history.updated).toEqual(wanted);
        }
      }),
      runs(100, 100),
    );
    // Of few histories it may be less by chance.
    expect(seen.compiled).toBeGreaterThan(isSoak ? 2 * seen.refused : seen.refused);
    expect(seen.refused).toBeGreaterThan(0);
  });
});
