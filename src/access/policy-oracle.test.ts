import { describe, expect, test } from 'vitest';
import { Dice } from '../testing/dice.ts';
import { isSoak, seeds, tries } from '../testing/effort.ts';
import { compareMeshes } from '../testing/oracle/compare.ts';
import { createKeySets } from '../testing/oracle/surroundings.ts';

describe('compiler and evaluator', () => {
  const meshes = tries(16, 85);
  const questions = 250;

  test.each(seeds(504))(
    `decide ${questions} requests in each of ${meshes} meshes as a plain reading of the policies does, seed %i`,
    {
      timeout: 3_600_000,
    },
    async (seed) => {
      const compared = await compareMeshes(new Dice(seed), createKeySets(), { meshes, questions });
      const { decisions, counts, differences } = compared;
      if (isSoak) process.stderr.write(`seed ${seed}: ${decisions} decisions ${JSON.stringify([...counts])}\n`);
      expect(differences.slice(0, 2), `${differences.length} differences`).toEqual([]);
      expect(decisions).toBeGreaterThan(meshes * questions * 0.8);
      // What is never decided is not compared.
      for (const name of ['reaches', 'closed', '401', '403 by a rule', '403 by no rule', ...kinds]) {
        expect(counts.get(name) ?? 0, `decisions: ${name}`).toBeGreaterThan(0);
      }
    },
  );
});

const kinds = ['PeerAuthentication', 'DestinationRule', 'AuthorizationPolicy', 'RequestAuthentication'];
