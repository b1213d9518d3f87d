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
  test('are those of the specification, with its types and defaults', () => {
    const { variables: specified } = readSpecification();
    expect(variables.map(({ name, type, default: value }) => ({ name, type, default: value }))).toEqual(specified);
  });
});

test('fixtures/README.md names cases that are there', () => {
  const named = readFileSync('fixtures/README.md', 'utf8').matchAll(/`((?:ok|err)\/[a-z\d-]+)`/g);
  const missing = Array.from(named, ([, name]) => `fixtures/${name}`).filter((path) => !existsSync(path));
  expect(missing).toEqual([]);
});
