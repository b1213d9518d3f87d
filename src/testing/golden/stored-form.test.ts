import { describe, expect, test } from 'vitest';
import { type CaseFiles, changesFile, newlyDifferent, storedForm, wholeForm } from './stored-form.ts';

const file = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const base: CaseFiles = new Map([
  ['diagnostics.txt', 'a warning\n'],
  ['mesh.json', file({ trustDomain: 'cluster.local' })],
  ['a/web/bootstrap.json', file({ node: { id: 'web' } })],
  ['b/db/bootstrap.json', file({ node: { id: 'db' } })],
  ['b/db/routes/80.json', file({ name: '80' })],
]);
const files: CaseFiles = new Map([
  ['mesh.json', file({ trustDomain: 'other' })],
  ['a/web/bootstrap.json', file({ node: { id: 'web' } })],
  ['c/x/bootstrap.json', file({ node: { id: 'x' } })],
]);

describe('storedForm', () => {
  const stored = storedForm(files, { name: 'plain', files: base });

  test('holds whole what the base has not, and of the rest what differs', () => {
    expect([...stored.keys()]).toEqual(['c/x/bootstrap.json', changesFile]);
    expect(stored.get(changesFile)).toBe(
      [
        'as in plain',
        '',
        'absent: b',
        'new: c/x/bootstrap.json',
        '',
        'changed: mesh.json',
        '@@ : changed',
        '-{"trustDomain": "cluster.local"}',
        '+{"trustDomain": "other"}',
        '',
      ].join('\n'),
    );
  });

  test('gives the whole files again; the base has its diagnostics for itself', () => {
    expect(new Map([...wholeForm(stored, () => base)].sort())).toEqual(new Map([...files].sort()));
  });

  test('of a case that equals its base has only the name of the base', () => {
    const same = new Map([...base].filter(([path]) => path !== 'diagnostics.txt'));
    expect(storedForm(same, { name: 'plain', files: base })).toEqual(new Map([[changesFile, 'as in plain\n']]));
  });
});

describe('newlyDifferent', () => {
  test('names the files that were as in the base', () => {
    const before = 'as in plain\n\nabsent: b\n';
    const now = 'as in plain\n\nabsent: b\nnew: c/x/bootstrap.json\n\nchanged: mesh.json\n@@ .a: removed\n';
    expect(newlyDifferent(before, now)).toEqual(['c/x/bootstrap.json', 'mesh.json']);
  });
});
