import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import { runs } from '../testing/effort.ts';
import { removals, withFewerEndpoints } from '../testing/fewer-endpoints.ts';
import { compileFixture, fixtureNames, readFixture } from '../testing/fixture.ts';

describe('compile', () => {
  test.each(fixtureNames('fixtures/ok'))('takes %s with any of its pods, entries and endpoints gone', async (name) => {
    const fixture = await readFixture('fixtures/ok', name);
    fc.assert(
      fc.property(removals(), (goes) => {
        const bag = new DiagnosticBag();
        const files = withFewerEndpoints(fixture, goes);
        compileFixture({ ...fixture, files, select: 'all', bag });
        const errors = bag.all.filter(({ severity }) => severity === 'error');
        expect(format(errors, files, 'text')).toBe('');
      }),
      runs(1),
    );
  });
});
