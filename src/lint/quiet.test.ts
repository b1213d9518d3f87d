import { beforeAll, describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { isPolicyKind } from '../compiler/collect.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { readSettings } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lineAndColumn, lineStarts } from '../diagnostics/span.ts';
import type { SourceFile } from '../source/document.ts';
import { readSources } from '../source/read.ts';
import { fixtureNames, readFixture } from '../testing/fixture.ts';
import type { Finding } from './finding.ts';
import { lint } from './lint.ts';
import { partialInput } from './partial-input.ts';
import { allRules } from './rule-index.ts';
import { casesOf, keptOf, readExample, rulesWithCases } from './testing/cases.ts';

interface Linted {
  readonly whole: readonly Finding[];
  readonly stripped: readonly Finding[];
  readonly policies: number;
  readonly errors: readonly string[];
  readonly placeOf: (finding: Finding) => string;
}

const linted = new Map<string, Linted>();
/** Said of what examples leave out of a mesh. */
const ofSketches: ReadonlySet<string> = new Set(['service-without-endpoints']);
const ruleCodes: ReadonlySet<string> = new Set(allRules.map(({ code }) => code));

beforeAll(async () => {
  for (const name of fixtureNames('fixtures/ok')) {
    const { files, settings } = await readFixture('fixtures/ok', name);
    linted.set(`ok/${name}`, lintBoth(`ok/${name}`, files, settings));
  }
  for (const name of fixtureNames('examples')) {
    const { settings } = await readSettings({ meshConfig: undefined, environment: {} }, new DiagnosticBag());
    const files = await readSources([`examples/${name}`], new DiagnosticBag());
    // What is planned stands beside what is in force, under the same names.
    const inForce = files.filter(({ path }) => !path.includes('/after/'));
    linted.set(`examples/${name}`, lintBoth(`examples/${name}`, inForce, settings));
  }
});

/** A mesh with and without what says who is in it. */
function lintBoth(name: string, files: readonly SourceFile[], settings: Settings): Linted {
  const bag = new DiagnosticBag();
  const objects = createObjectReader()(files, bag);
  const whole = createAnalyser(settings, partialInput)(objects, bag);
  const policies = objects.filter(({ kind }) => isPolicyKind(kind));
  const stripped = createAnalyser(settings, partialInput)(policies, bag);
  const texts = new Map(files.map(({ path, text }) => [path, lineStarts(text)]));
  return {
    policies: policies.length,
    whole: whole === undefined ? [] : lint(whole).findings,
    stripped: stripped === undefined ? [] : lint(stripped).findings,
    errors: bag.all.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    placeOf: ({ span }) =>
      span === undefined
        ? name
        : `${span.file.startsWith(name) ? '' : `${name}/`}${span.file}:${lineAndColumn(texts.get(span.file) ?? [0], span.start).line}`,
  };
}

describe('meshes without fault (fixtures/ok, examples)', () => {
  test('have no error, with topology and without', () => {
    for (const [name, { errors, whole, stripped }] of linted) {
      expect(errors, name).toEqual([]);
      expect(
        [...whole, ...stripped].filter(({ severity }) => severity === 'error').map(({ code }) => code),
        name,
      ).toEqual([]);
    }
  });

  test.each(allRules)('have those warnings of $code that its kept.txt lists, and no other', ({ code, severity }) => {
    const places = [...linted.values()].flatMap(({ whole, placeOf }) =>
      whole.filter((finding) => finding.code === code && finding.severity !== 'info').map(placeOf),
    );
    const kept = keptOf(code);
    for (const line of kept) expect(line).toMatch(/^\S+ .{10,}$/);
    expect(kept.length === 0 || severity !== 'info').toBe(true);
    expect(kept.map((line) => line.split(' ')[0]).sort()).toEqual([...new Set(places)].sort());
  });

  test('say without topology nothing that they do not say with it', () => {
    for (const [name, { whole, stripped, placeOf }] of linted) {
      const key = (finding: Finding): string => `${finding.code} ${placeOf(finding)}`;
      const known = new Set(whole.map(key));
      expect(
        stripped.map(key).filter((it) => !known.has(it)),
        name,
      ).toEqual([]);
    }
  });
});

test('of a ServiceEntry for a service outside of the mesh, no absence in the mesh is concluded', async () => {
  const text = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: { name: bank, namespace: edge }
spec:
  hosts: [api.bank.example]
  location: MESH_EXTERNAL
  resolution: DNS
  ports: [{ number: 443, name: tls, protocol: TLS }]
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: { name: out, namespace: edge }
spec:
  selector: { app: egress }
  servers:
  - port: { number: 443, name: tls, protocol: TLS }
    hosts: [api.bank.example]
    tls: { mode: PASSTHROUGH }
`;
  const { settings } = await readSettings({ meshConfig: undefined, environment: {} }, new DiagnosticBag());
  expect(lintBoth('edge', [{ path: 'edge.yaml', text }], settings).whole.map(({ code }) => code)).toEqual([]);
});

test('examples, and the clean twins of all rules, have at most one warning in 20 policies', async () => {
  const counts = { policies: 0, warnings: 0 };
  for (const [name, { policies, whole }] of linted) {
    // Many a case of fixtures/ok holds a fault that compiles; its warnings are in kept.txt, each with its reason.
    if (name.startsWith('ok/')) continue;
    counts.policies += policies;
    counts.warnings += whole.filter(({ severity }) => severity !== 'info').length;
  }
  for (const shape of rulesWithCases().flatMap(casesOf)) {
    const { path, text, snapshot } = await readExample(shape, 'good');
    counts.policies += snapshot.objects.filter(({ kind }) => isPolicyKind(kind)).length;
    const { findings } = lint(snapshot, { files: [{ path, text }], today: '2026-06-30' });
    // An example shows a workload or a service without what is of no matter for its rule.
    const told = findings.filter(({ code, severity }) => severity !== 'info' && !ofSketches.has(code));
    counts.warnings += told.length;
  }
  expect(counts.policies).toBeGreaterThan(200);
  expect(counts.warnings * 20).toBeLessThanOrEqual(counts.policies);
});

test('rules and diagnostics share no code', async () => {
  const { registry } = await import('../diagnostics/registry.ts');
  expect(Object.keys(registry).filter((code) => ruleCodes.has(code))).toEqual([]);
});
