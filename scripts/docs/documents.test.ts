import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { variables } from '../../src/config/variables.ts';
import { generatedDocuments } from './documents.ts';
import { identifiers, readEvidence, readSpecification } from './evidence.ts';

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

describe('evidence', () => {
  test('names only lines of the specification', () => {
    const known = new Set(identifiers(readSpecification()));
    expect(Object.keys(readEvidence()).filter((id) => !known.has(id))).toEqual([]);
  });

  test('names only tests that exist', () => {
    const missing = Object.entries(readEvidence()).filter(([, { test: shown }]) => {
      if (shown === undefined) return false;
      const [file = '', name = ''] = shown.split(': ', 2);
      return !existsSync(file) || !readFileSync(file, 'utf8').includes(name);
    });
    expect(missing).toEqual([]);
  });
});
