import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { formatPath, parsePath } from './json-path.ts';

describe('formatPath', () => {
  test.each([
    [[], ''],
    [['filter_chains', 0, 'typed_config', '@type'], 'filter_chains[0].typed_config.@type'],
    [['options', 'a.b', 'c'], 'options["a.b"].c'],
    [['q"uote', 3], '["q\\"uote"][3]'],
  ])('writes %j', (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  test('writes what parsePath reads', () => {
    const step = fc.oneof(fc.string(), fc.nat());
    fc.assert(
      fc.property(fc.array(step), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
      runs(),
    );
  });
});
