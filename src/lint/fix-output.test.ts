import { describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import { readSettings } from '../config/read.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { applyFixes } from './apply-fixes.ts';
import type { Fix } from './finding.ts';
import { lint } from './lint.ts';
import type { FixedPart, Rule } from './rule.ts';
import { allRules } from './rule-index.ts';
import { casesOf, type Example, type RuleCase, readExample } from './testing/cases.ts';

/** For examples of policies alone: somebody for whom these are in force. */
const cart = `
---
apiVersion: v1
kind: Service
metadata: { name: cart, namespace: shop }
spec:
  clusterIP: 10.96.0.10
  selector: { app: cart }
  ports: [{ name: http, port: 80, targetPort: 8080 }]
---
apiVersion: v1
kind: Pod
metadata: { name: cart-1, namespace: shop, labels: { app: cart, sidecar.mesh.io/inject: "true" } }
spec: { containers: [{ name: app }] }
status: { phase: Running, podIP: 10.0.0.1 }
`;

/** What a difference of each kind stands in: a resource, or a typed message in it, such as that of a filter. */
const places: Readonly<Record<Exclude<FixedPart, 'nothing'>, RegExp>> = {
  'access rules': /\.rbac\.v3\./,
  'mutual TLS of ports': /^listener virtualInbound( |$)/,
};

interface Fixable extends RuleCase {
  readonly rule: Rule;
  readonly example: Example;
  readonly fixes: readonly Fix[];
}

const shapes = await Promise.all(
  allRules.flatMap((rule) =>
    casesOf(rule.code).map(async (shape): Promise<Fixable> => {
      const example = await readExample(shape, 'bad');
      const { findings } = lint(example.snapshot, { rules: [rule] });
      return { ...shape, rule, example, fixes: findings.flatMap(({ fix }) => fix ?? []) };
    }),
  ),
);

const changing = new Set<string>();

describe('fixes', () => {
  test('are made by those rules that say what their fixes change, and by no other', () => {
    const making = new Set(shapes.filter(({ fixes }) => fixes.length > 0).map(({ code }) => code));
    expect([...making].sort()).toEqual(allRules.flatMap(({ code, fixChanges }) => (fixChanges ? [code] : [])));
  });

  test.each(shapes.filter(({ fixes }) => fixes.length > 0))(
    'of $code change the output of $shape as the rule says',
    async ({ code, rule: { fixChanges = 'nothing' }, example: { path, text }, fixes }) => {
      const added = /^kind: (Pod|Deployment)$/m.test(text) ? '' : cart;
      const before = await resourcesOf(`${text}${added}`);
      const after = await resourcesOf(`${applyFixes(path, text, fixes)}${added}`);
      expect(after).toBeDefined();
      // What did not compile has nothing to differ from.
      if (before === undefined || after === undefined) return;
      expect([...after.keys()]).toEqual([...before.keys()]);
      const changed = [...before].flatMap(([name, { label, value }]) =>
        differences(value, after.get(name)?.value, label),
      );
      if (changed.length > 0) changing.add(code);
      if (fixChanges === 'nothing') expect(changed).toEqual([]);
      else for (const place of changed) expect(place).toMatch(places[fixChanges]);
    },
  );

  test('change the output of some example of each rule that says so', () => {
    const saying = allRules.filter(({ fixChanges = 'nothing' }) => fixChanges !== 'nothing');
    expect([...changing].sort()).toEqual(saying.map(({ code }) => code));
  });
});

interface Resource {
  readonly label: string;
  readonly value: unknown;
}

/** The compiled resources of all workloads, by proxy and place; undefined where the text has an error. */
async function resourcesOf(text: string): Promise<ReadonlyMap<string, Resource> | undefined> {
  const bag = new DiagnosticBag();
  const { settings } = await readSettings({ meshConfig: undefined, environment: {} }, bag);
  const compiled = createCompiler({ settings }).compile([{ path: 'mesh.yaml', text }], 'all', bag);
  if (compiled === undefined) return undefined;
  expect(compiled.configs.length).toBeGreaterThan(0);
  return new Map(
    compiled.configs.flatMap(({ bootstrap, listeners, clusters, routes }, i) =>
      Object.entries({ bootstrap: [bootstrap], listener: listeners, cluster: clusters, route: routes }).flatMap(
        ([kind, resources]) => resources.map((it, k) => [`${kind} ${i} ${k}`, resourceOf(kind, it.text)] as const),
      ),
    ),
  );
}

function resourceOf(kind: string, text: string): Resource {
  const value: { readonly name?: string } = JSON.parse(text);
  return { label: `${kind} ${value.name ?? ''}`, value };
}

/** The resource and the typed messages around each place where two values differ. */
function differences(before: unknown, after: unknown, place: string): string[] {
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) {
    return Object.is(before, after) ? [] : [place];
  }
  const { '@type': type } = before as { readonly '@type'?: string };
  const own = type === undefined ? place : `${place} ${type}`;
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  const of = (value: object, field: string): unknown => (value as Record<string, unknown>)[field];
  return [...fields].flatMap((field) => differences(of(before, field), of(after, field), own));
}
