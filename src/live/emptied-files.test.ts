import { describe, expect, test } from 'vitest';
import { createCompiler } from '../compiler/compile.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { fillEmptied, SettingsMemory } from './emptied-files.ts';
import { policyChanges } from './policy-changes.ts';

const compiler = createCompiler({ settings: defaultSettings });
const read = (file: SourceFile, bag = new DiagnosticBag()) => compiler.read([file], bag);
const filesOf = (texts: Readonly<Record<string, string>>): SourceFile[] =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n';

const policy = (name: string, path = '/x', more = ''): string => `
apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: a${more}}
spec: {action: DENY, rules: [{to: [{operation: {paths: ["${path}"]}}]}]}
`;

describe('fillEmptied', () => {
  const first = filesOf({ 'p.yaml': `${policy('one')}---${policy('two')}`, 'q.yaml': policy('three') });
  const objectsOf = (files: readonly SourceFile[]) => files.flatMap((file) => read(file));
  const good = { files: first, objects: objectsOf(first) };
  const fill = (texts: Readonly<Record<string, string>>) => {
    const { files, objects, errors } = fillEmptied(filesOf(texts), good, read);
    const stand = objectsOf(files).map(({ name, document }) => `${name} ${document.start.file}`);
    return { stand, held: objects.map(({ name, file }) => `${name} ${file}`), errors: errors.map((it) => it.message) };
  };
  const standIn = (name: string, path = 'p.yaml') =>
    `${name} ${path} (last valid version of AuthorizationPolicy a/${name})`;

  test.each([
    ['nothing', ''],
    ['blanks', ' \n\n'],
    ['comments and separators', '# nothing\n---\n# here\n...\n'],
    ['a word', 'true'],
    ['nothing by name', 'null'],
    ['a list', '[]'],
    ['a mapping that is no object', '{}'],
    ['a list that was cut off before its items', 'apiVersion: v1\nkind: List\n'],
    ['a list that was cut off within its kind', 'apiVersion: v1\nkind: Lis'],
    ['an object that was cut off behind its kind', 'apiVersion: v1\nkind: ConfigMap\n'],
    ['a list whose items were cut off', 'apiVersion: v1\nkind: List\nitems:\n'],
  ])('keeps the objects of a file that holds %s now', (_, text) => {
    expect(fill({ 'p.yaml': text, 'q.yaml': policy('three') })).toEqual({
      stand: ['three q.yaml', standIn('one'), standIn('two')],
      held: ['one p.yaml', 'two p.yaml'],
      errors: [
        'this file used to contain AuthorizationPolicy a/one, AuthorizationPolicy a/two, and is now empty or has no object',
      ],
    });
  });

  test.each([
    ['is gone', { 'q.yaml': policy('three') }],
    ['says that it holds none', { 'p.yaml': 'kind: List\nitems: []\n', 'q.yaml': policy('three') }],
    ['holds another kind', { 'p.yaml': configMap, 'q.yaml': policy('three') }],
    ['cannot be read', { 'p.yaml': 'a: [', 'q.yaml': policy('three') }],
  ])('puts nothing back of a file that %s', (_, texts) => {
    expect(fill(texts)).toEqual({ stand: ['three q.yaml'], held: [], errors: [] });
  });

  test.each([
    ['objects', `${configMap}---\napiVersion: argoproj.io/v1\nkind: Application\nspec: {}\n`],
    [
      'a list of objects',
      'kind: List\nitems: [{apiVersion: v1, kind: ConfigMap, data: {}}, {apiVersion: a.io/v1, kind: Application, spec: {}}]\n',
    ],
  ])('warns of the policies that are let go because their file now holds %s of kinds that are not read', (_, text) => {
    const { warnings } = fillEmptied(
      filesOf({ 'p.yaml': text, 'q.yaml': `${policy('three')}---${policy('one')}` }),
      good,
      read,
    );
    expect(warnings).toMatchObject([
      {
        severity: 'warning',
        span: { file: 'p.yaml' },
        message:
          'this file used to contain AuthorizationPolicy a/two, which no longer applies: the file now has objects of kinds that are not read (Application, ConfigMap)',
      },
    ]);
  });

  test.each([
    ['is gone', {}],
    ['says that it holds none', { 'p.yaml': 'kind: List\nitems: []\n' }],
    ['holds a policy that is at fault', { 'p.yaml': policy('one').replace('DENY', 'DENNY') }],
    ['holds another policy', { 'p.yaml': `${policy('new')}---\n${configMap}` }],
  ])(
    'does not warn of dropped objects if the file %s: the log line of the change or an error names them',
    (_, texts) => {
      expect(fillEmptied(filesOf({ ...texts, 'q.yaml': policy('three') }), good, read).warnings).toEqual([]);
    },
  );

  test('does not restore an object that is in another file now', () => {
    const { stand, held } = fill({ 'p.yaml': '', 'q.yaml': `${policy('three')}---${policy('one', '/y')}` });
    expect(stand).toEqual(['three q.yaml', 'one q.yaml', standIn('two')]);
    expect(held).toEqual(['two p.yaml']);
  });

  test('keeps the objects through further rounds, and lets them go when the file holds an object', () => {
    const empty = filesOf({ 'p.yaml': '', 'q.yaml': policy('three') });
    const once = fillEmptied(empty, good, read);
    const next = { files: once.files, objects: objectsOf(once.files) };
    expect(fillEmptied(empty, next, read).objects.map(({ name }) => name)).toEqual(['one', 'two']);
    const mended = filesOf({ 'p.yaml': policy('one'), 'q.yaml': policy('three') });
    expect(fillEmptied(mended, next, read)).toEqual({ files: mended, objects: [], errors: [], warnings: [] });
  });
});

describe('SettingsMemory', () => {
  const check = (memory: SettingsMemory, texts: Readonly<Record<string, string>>): string[] => {
    const bag = new DiagnosticBag();
    memory.check(filesOf(texts), bag);
    return bag.all.map(({ message }) => message);
  };

  test('refuses a mesh configuration that has become empty, and accepts one that was always empty or is deleted', () => {
    const memory = new SettingsMemory('mesh.yaml');
    const empty = { 'mesh.yaml': '# nothing\n' };
    memory.accept(filesOf(empty));
    expect(check(memory, empty)).toEqual([]);
    memory.accept(filesOf({ 'mesh.yaml': 'trustDomain: a' }));
    expect(check(memory, empty)).toEqual([
      'this file used to contain the mesh configuration, and is now empty or has no object',
    ]);
    expect([check(memory, {}), check(memory, { 'mesh.yaml': '{}' })]).toEqual([[], []]);
  });
});

describe('policyChanges', () => {
  const objectsOf = (...texts: string[]) => texts.flatMap((text, i) => read({ path: `${i}.yaml`, text }));

  test('names policies that were added, changed and removed, and nothing else', () => {
    const namespace = (label: string) =>
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {x: ${label}}}\n`;
    const before = objectsOf(policy('same'), policy('other'), policy('gone'), namespace('1'));
    const after = objectsOf(
      policy('other', '/y'),
      policy('same', '/x', ', resourceVersion: "7"'),
      policy('new'),
      namespace('2'),
    );
    expect(policyChanges(before, after)).toEqual({
      added: ['AuthorizationPolicy a/new'],
      changed: ['AuthorizationPolicy a/other'],
      removed: ['AuthorizationPolicy a/gone'],
    });
  });
});
