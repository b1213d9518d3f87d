import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { variables } from '../../src/config/variables.ts';
import { generatedDocuments } from './documents.ts';
import { readSpecification } from './evidence.ts';

describe('generatedDocuments', () => {
  test.each(generatedDocuments())('%s is what code and data give ("make docs" writes it)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('variables', () => {
  const sorted = <T extends { readonly name: string }>(list: readonly T[]): T[] =>
    [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

  test('are those of the specification, with its types and defaults', () => {
    const { variables: specified } = readSpecification();
    const own = variables.map(({ name, type, default: value }) => ({ name, type, default: value }));
    expect(sorted(own)).toEqual(sorted(specified));
  });
});

test('fixtures/README.md names cases that are there', () => {
  const named = readFileSync('fixtures/README.md', 'utf8').matchAll(/`((?:ok|err)\/[a-z\d-]+)`/g);
  const missing = Array.from(named, ([, name]) => `fixtures/${name}`).filter((path) => !existsSync(path));
  expect(missing).toEqual([]);
});
