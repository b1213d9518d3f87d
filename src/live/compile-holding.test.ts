import { describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { type Attempt, compileHolding, type Holding } from './compile-holding.ts';
import type { GoodInputs } from './good-versions.ts';

const topology = `
apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: a}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: a, labels: {app: web}}
spec: {containers: [{name: app, ports: [{containerPort: 80}]}]}
status: {podIP: 10.0.0.1}
`;

const policy = (name: string, path: string, action = 'DENY', namespace = 'a'): string => `
apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  action: ${action}
  rules: [{to: [{operation: {paths: ["${path}"]}}]}]
`;

/** An agent's compilations in a row, each of other texts. */
class Inputs {
  readonly #compiler = createCompiler({ settings: defaultSettings });
  #good: GoodInputs | undefined;

  async take(texts: Readonly<Record<string, string>>): Promise<Holding<readonly string[]>> {
    const files = Object.entries({ 'topology.yaml': topology, ...texts }).map(([path, text]) => ({ path, text }));
    let objects: GoodInputs['objects'] = [];
    const attempt = async (some: readonly SourceFile[]): Promise<Attempt<readonly string[]>> => {
      const bag = new DiagnosticBag();
      objects = this.#compiler.read(some, bag);
      const select = [{ namespace: 'a', name: 'web' }];
      const compilation = bag.hasErrors ? undefined : this.#compiler.compileObjects(objects, select, bag);
      const text = compilation?.configs[0]?.listeners.map((listener) => listener.text).join('\n') ?? '';
      return { bag, value: compilation && (text.match(/"exact": "\/[a-z0-9]+"/g) ?? []).map((it) => it.slice(10, -1)) };
    };
    const isElsewhere = ({ metadata }: { readonly metadata?: unknown }): boolean =>
      (metadata as { readonly namespace?: string }).namespace === 'other';
    const result = await compileHolding(files, this.#good, isElsewhere, attempt);
    if (result.value !== undefined) this.#good = { files: result.files, objects };
    return { ...result, value: result.value && [...new Set(result.value)].sort() };
  }
}

/** What stays of a change: paths that are denied, and objects that are held with their lines. */
const outcome = ({ value, objects }: Holding<readonly string[]>): unknown => ({
  denied: value,
  held: objects.map(({ namespace, name, file, line }) => `${namespace}/${name} ${file}:${line}`),
});

describe('compileHolding', () => {
  const first = { 'p.yaml': `${policy('one', '/1')}---${policy('two', '/2')}`, 'q.yaml': policy('three', '/3') };

  test.each<[string, Readonly<Record<string, string>>, unknown, readonly string[]]>([
    [
      'a document whose schema does not hold, beside a good change in its file',
      { ...first, 'p.yaml': `${policy('one', '/1x', 'DENI')}---${policy('two', '/2x')}` },
      { denied: ['/1', '/2x', '/3'], held: ['a/one p.yaml:2'] },
      ['p.yaml unknown-enum-value'],
    ],
    [
      'a document that no parser reads, beside a good change in another file',
      {
        'p.yaml': `${policy('one', '/1')}---${policy('two', '/2').replace('rules: [', 'rules: [[')}`,
        'q.yaml': policy('three', '/3x'),
      },
      { denied: ['/1', '/2', '/3x'], held: ['a/two p.yaml:9'] },
      ['p.yaml yaml-syntax'],
    ],
    [
      'two objects at once',
      { 'p.yaml': `${policy('one', '/1', 'X')}---${policy('two', '/2')}`, 'q.yaml': policy('three', '/3', 'Y') },
      { denied: ['/1', '/2', '/3'], held: ['a/one p.yaml:2', 'a/three q.yaml:2'] },
      ['p.yaml unknown-enum-value', 'q.yaml unknown-enum-value'],
    ],
    [
      'a new object that is at fault and may concern the proxy: nothing of the change is used',
      { ...first, 'q.yaml': policy('three', '/3x'), 'r.yaml': policy('four', '/4', 'X') },
      { denied: undefined, held: ['a/four r.yaml:2'] },
      ['r.yaml unknown-enum-value'],
    ],
    [
      'a new object that no parser reads, in the place of a good one',
      { ...first, 'q.yaml': policy('four', '/4').replace('rules: [', 'rules: [[') },
      { denied: undefined, held: [] },
      ['q.yaml yaml-syntax'],
    ],
    [
      'a new object that is at fault and is elsewhere',
      { ...first, 'q.yaml': policy('three', '/3x'), 'r.yaml': policy('four', '/4', 'X', 'other') },
      { denied: ['/1', '/2', '/3x'], held: ['other/four r.yaml:2'] },
      ['r.yaml unknown-enum-value'],
    ],
    [
      'a copy of an object that is in force, which fits no longer',
      { ...first, 'r.yaml': policy('one', '/1x') },
      { denied: undefined, held: ['a/one r.yaml:2'] },
      ['r.yaml duplicate-object'],
    ],
    [
      'objects at fault beside copies of them: what does not fit the old versions is told where the user wrote it',
      {
        'a.yaml': policy('one', '/1x'),
        'p.yaml': `${policy('one', '/1', 'X')}---${policy('two', '/2', 'X')}`,
        'q.yaml': policy('two', '/2x'),
        'r.yaml': policy('two', '/2y'),
        's.yaml': policy('two', '/2z'),
      },
      {
        denied: ['/1', '/2'],
        held: [
          'a/one p.yaml:2',
          'a/two p.yaml:9',
          'a/two r.yaml:2',
          'a/two s.yaml:2',
          'a/one a.yaml:2',
          'a/two q.yaml:2',
        ],
      },
      ['p.yaml unknown-enum-value', 'p.yaml unknown-enum-value', 'r.yaml duplicate-object', 's.yaml duplicate-object'],
    ],
  ])('%s', async (_name, texts, expected, errors) => {
    const inputs = new Inputs();
    expect(outcome(await inputs.take(first))).toEqual({ denied: ['/1', '/2', '/3'], held: [] });
    const result = await inputs.take(texts);
    expect(outcome(result)).toEqual(expected);
    expect(result.errors.map(({ code, span }) => `${span?.file} ${code}`)).toEqual(errors);
    expect(outcome(await inputs.take({ ...first, 'q.yaml': policy('three', '/4') }))).toEqual({
      denied: ['/1', '/2', '/4'],
      held: [],
    });
  });

  test('keeps the last valid version of an object, with its line, through several invalid ones, until its file is deleted', async () => {
    const inputs = new Inputs();
    await inputs.take(first);
    for (const action of ['X', 'Y', 'Z']) {
      const result = await inputs.take({ ...first, 'q.yaml': `\n\n\n${policy('three', '/3x', action)}` });
      expect(outcome(result)).toEqual({ denied: ['/1', '/2', '/3'], held: ['a/three q.yaml:5'] });
    }
    const { 'q.yaml': _gone, ...rest } = first;
    expect(outcome(await inputs.take(rest))).toEqual({ denied: ['/1', '/2'], held: [] });
  });

  test('has nothing to fall back on at the start', async () => {
    expect((await new Inputs().take({ 'p.yaml': policy('one', '/1', 'X') })).value).toBeUndefined();
  });

  test('does not compile again after an error without a position, and reports the error once', async () => {
    let attempts = 0;
    const attempt = async (): Promise<Attempt<string>> => {
      attempts++;
      const bag = new DiagnosticBag();
      bag.report('unknown-workload', undefined, { name: 'a/web' });
      return { bag, value: undefined };
    };
    const result = await compileHolding([{ path: 'p.yaml', text: topology }], undefined, () => false, attempt);
    expect([attempts, result.value, result.errors.length]).toEqual([1, undefined, 1]);
  });
});
