import { describe, expect, test } from 'vitest';
import { Dice } from '../testing/dice.ts';
import { isSoak, tries } from '../testing/effort.ts';
import { compareRoutes } from '../testing/oracle/routing/compare.ts';

describe('compiler and evaluator', () => {
  const meshes = tries(15, 115);
  const questions = 200;
  // `make test` asks the same questions each time, `make soak` others: what it finds is no fault of the change at hand.
  const count = tries(1, 3);
  const newSeed = (): number => 1 + Math.floor(Math.random() * 2 ** 31);
  const seeds = count === 1 ? [504] : Array.from({ length: count }, newSeed);

  test.each(seeds)(
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
