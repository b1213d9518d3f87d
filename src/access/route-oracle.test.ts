import { describe, expect, test } from 'vitest';
import { Dice } from '../testing/dice.ts';
import { isSoak, seeds, tries } from '../testing/effort.ts';
import { compareRoutes } from '../testing/oracle/routing/compare.ts';

describe('compiler and evaluator', () => {
  const meshes = tries(15, 115);
  const questions = 200;

  test.each(seeds(504))(
    `route ${questions} requests in each of ${meshes} meshes as a plain reading of the objects does, seed %i`,
    {
      timeout: 3_600_000,
    },
    (seed) => {
      const { decisions, counts, differences } = compareRoutes(new Dice(seed), { meshes, questions });
      if (isSoak) process.stderr.write(`seed ${seed}: ${decisions} decisions ${JSON.stringify([...counts])}\n`);
      expect(differences.slice(0, 2), `${differences.length} differences`).toEqual([]);
      expect(decisions).toBe(meshes * questions);
      // What is never decided is not compared.
      for (const name of ['goes', 'unchanged', 'refused', '301', '404', 'VirtualService', 'Gateway', 'Sidecar']) {
        expect(counts.get(name) ?? 0, `decisions: ${name}`).toBeGreaterThan(0);
      }
    },
  );
});
