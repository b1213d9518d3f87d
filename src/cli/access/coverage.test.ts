import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { CoveragePlace } from '../../access/suite/coverage/place.ts';
import { run } from '../testing/run-meshpol.ts';

interface CoverageSet {
  readonly name: string;
  readonly action?: string;
  readonly annotations?: object;
  readonly rules: readonly object[];
  readonly objects?: readonly { readonly kind: string }[];
  readonly requests: readonly object[];
  readonly uncovered: readonly string[];
}

const sets = parse(readFileSync('fixtures/coverage/sets.yaml', 'utf8')) as readonly CoverageSet[];

/** The policies of a set, and a test with its requests; what it expects is of no interest. */
function textOf({ action, annotations, rules, objects = [], requests }: CoverageSet): string {
  const policy = {
    kind: 'AuthorizationPolicy',
    metadata: { name: 'cart', namespace: 'shop', ...(annotations && { annotations }) },
    spec: { selector: { matchLabels: { app: 'cart' } }, ...(action && { action }), rules },
  };
  const suite = {
    kind: 'PolicyTest',
    metadata: { name: 'set' },
    spec: {
      workloads: [
        { name: 'shop/cart', labels: { app: 'cart' }, ports: ['http:8080', 'http:8081', 'tcp:9000'] },
        ...['shop/web', 'shop/mail', 'other/web'].map((name) => ({ name, account: name.split('/')[1] })),
      ],
      cases: [
        {
          name: 'requests',
          request: { from: 'shop/web', to: 'cart.shop:8080' },
          table: requests.map((request) => ({ request, expect: { status: 418 } })),
        },
      ],
    },
  };
  const versions: Readonly<Record<string, string>> = {
    PolicyTest: 'meshpol/v1',
    VirtualService: 'networking.mesh.io/v1',
  };
  return [policy, ...objects, suite]
    .map((object) => stringify({ apiVersion: versions[object.kind] ?? 'security.mesh.io/v1', ...object }))
    .join('---\n');
}

describe('meshpol test --coverage', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(sets)('tells what is not covered: $name', async (set) => {
    writeFileSync(join(folder, 'set.yaml'), textOf(set));
    const { out, error } = await run(`test ${folder} -o json=${join(folder, 'results')} --coverage json`);
    expect(error).not.toContain(': error: ');
    const { places } = JSON.parse(out) as { readonly places: readonly CoveragePlace[] };
    const uncovered = places.flatMap(({ name, field, seen }) => {
      const sides = Object.keys(seen).filter((side) => seen[side] === 0);
      return sides.length === 0 ? [] : [`${name} ${field}: ${sides.join(', ')}`];
    });
    expect(uncovered.sort()).toEqual([...set.uncovered].sort());
  });
});
