import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Dice } from '../testing/dice.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { defineInBothGroups } from '../testing/kubernetes/definitions.ts';
import { errorsOf, type FixtureObject, fixtureObjects } from './testing/fixture-objects.ts';
import { MutatedObjects } from './testing/mutated-objects.ts';
import { Verdicts } from './testing/verdicts.ts';

const facts = 'fixtures/server-checks.json';
const isUpdate = process.env.UPDATE_GOLDEN === '1';

describe('a real API server with the definitions, under our groups and under those of Istio', () => {
  let cluster: Cluster;
  let verdicts: Verdicts;

  beforeAll(async () => {
    cluster = await startCluster();
    await defineInBothGroups(cluster);
    verdicts = new Verdicts(cluster);
  });
  afterAll(() => cluster?.close());

  test('accepts every object of fixtures/ok', async () => {
    const objects = fixtureObjects('fixtures/ok');
    expect(objects.length).toBeGreaterThan(200);
    expect(await refused(objects, verdicts)).toEqual([]);
  });

  test('accepts valid random variants of all objects of the fixtures', async () => {
    const objects = ['fixtures/ok', 'fixtures/err'].flatMap(fixtureObjects).filter(isWhole);
    const mutated = new MutatedObjects(objects, new Dice(17));
    const valid: FixtureObject[] = [];
    while (valid.length < 1_500) {
      const { from, value } = mutated.next();
      if ((await errorsOf(value)).length === 0) valid.push({ ...from, value });
    }
    expect(await refused(valid, verdicts)).toEqual([]);
  });

  test('refuses what definitions can express and names the field, and leaves the errors of fixtures/server-checks.json to meshd', async () => {
    const refusals: Record<string, readonly string[]> = {};
    const left: Record<string, readonly string[]> = {};
    for (const object of fixtureObjects('fixtures/err')) {
      const [fields, errors] = [await verdicts.of(object), await errorsOf(object.value)];
      if (fields.length > 0) refusals[object.fixture] = merged(refusals[object.fixture], fields);
      else if (errors.length > 0) left[object.fixture] = merged(left[object.fixture], errors);
      // Nothing is refused that is valid.
      if (fields.length > 0) expect(errors).not.toEqual([]);
    }
    const now = { refused: refusals, left };
    if (isUpdate) writeFileSync(facts, factsText(now));
    expect(now).toEqual(JSON.parse(readFileSync(facts, 'utf8')));
  });
});

function isWhole({ value }: FixtureObject): boolean {
  return value.spec !== undefined;
}

/** A line a case. */
function factsText(now: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>): string {
  const part = (name: string): string => {
    const lines = Object.entries(now[name] ?? {}).map(
      ([key, values]) => `    ${JSON.stringify(key)}: ${JSON.stringify(values)}`,
    );
    return `  ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n  }`;
  };
  return `{\n${Object.keys(now).map(part).join(',\n')}\n}\n`;
}

function merged(before: readonly string[] = [], now: readonly string[]): readonly string[] {
  return [...new Set([...before, ...now])].sort();
}

async function refused(objects: readonly FixtureObject[], verdicts: Verdicts): Promise<string[]> {
  const answers = await Promise.all(objects.map(async (object) => ({ object, fields: await verdicts.of(object) })));
  return answers.flatMap(({ object, fields }) =>
    fields.length === 0
      ? []
      : [`${object.fixture} ${object.defined.kind}: ${fields.join(', ')} ${JSON.stringify(object.value.spec)}`],
  );
}
