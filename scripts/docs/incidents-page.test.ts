import { describe, expect, test } from 'vitest';
import { readIncidents } from './incidents-page.ts';
import { isThere, parseTestReference } from './test-reference.ts';

describe('readIncidents', () => {
  test.each(readIncidents())('$incident: tests hold it, and they exist', ({ tests }) => {
    expect(tests).not.toEqual([]);
    expect(tests.filter((text) => !isThere(parseTestReference(text)))).toEqual([]);
  });
});
