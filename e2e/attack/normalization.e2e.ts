import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { tries } from '../../src/testing/effort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { type AttackTarget, readingOf, wireRequest } from './attack.ts';
import { attackedPlaces, attackTopology } from './attacked-mesh.ts';

/** What paths are made of that proxies and applications read in more than one way. */
const pieces = [
  ...['.', '..', '%2e', '%2E', '/', '%2f', '\\', '%5c', ';', '%3b', 'a', 'b=1', '%61', '%25', '2e', '2f', '%', '?'],
  ...[',', ':', '~', '%7e', '[', '|', '*', '@', '%40', '%2a', '%5b', '%00', '%20', '%c0%ae'],
];
const somePath = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 })
  .map((parts) => `/${parts.join('')}`);

describeMesh('normalization', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await createTestbed({ topology: attackTopology });
  });
  afterAll(() => testbed?.close());

  /** The target that the application was asked for; undefined where Envoy refused the request. */
  async function askedFor(paths: readonly string[], target: AttackTarget): Promise<(string | undefined)[]> {
    const requests = paths.flatMap((path) => wireRequest({ target: path }, 1, target) ?? []);
    const answers = await testbed.exchange('legacy/attacker', requests);
    return answers.map((answer) => readingOf(answer)?.target);
  }

  test('a path that a gateway lets through is the same to the sidecar behind it', async () => {
    const [atSidecar, atGateway] = attackedPlaces.map(({ target }) => target);
    const differing: string[] = [];
    let same = 0;
    for (let round = 0; round < tries(4); round += 1) {
      const paths = fc.sample(somePath, 400);
      const [once, twice] = await Promise.all([askedFor(paths, atSidecar!), askedFor(paths, atGateway!)]);
      for (const [i, path] of paths.entries()) {
        if (twice[i] === undefined) continue;
        if (twice[i] === once[i]) same += 1;
        else differing.push(`${path}: ${once[i]}, behind a gateway ${twice[i]}`);
      }
    }
    expect(differing).toEqual([]);
    expect(same).toBeGreaterThan(1000);
  });
});
