import { describe, expect, test } from 'vitest';
import { Dice } from '../../testing/dice.ts';
import { isSoak, seeds } from '../../testing/effort.ts';
import { deciding } from '../../testing/inert/alterations.ts';
import { inertFields, tryInert } from '../../testing/inert/inert-round.ts';

describe('fields of the configuration that are called inert', () => {
  test('change no answer of Envoy when they have another value, and a field that decides does', {
    timeout: 1_800_000,
  }, async () => {
    for (const seed of seeds(5)) {
      // One field in five; scripts/gauge-inert.mjs alters all of them.
      const fields = inertFields().filter((_, i) => isSoak || i % 5 === 0);
      const results = await tryInert(new Dice(seed), [...fields, deciding], isSoak ? 200 : 20);
      const control = results.pop();
      const told = results.flatMap(({ type, field, changed }) => changed.map((text) => `${type}.${field}: ${text}`));
      expect(told.slice(0, 3), `seed ${seed}`).toEqual([]);
      expect(results.length).toBe(fields.length);
      // Of three seeds by chance not each has every message.
      if (!isSoak) expect(results.filter(({ messages, reached }) => messages === 0 || reached === 0)).toEqual([]);
      expect(control?.changed.length).toBeGreaterThan(0);
    }
  });
});
