import { describe, expect, test } from 'vitest';
import { readScenarios } from './scenarios-page.ts';
import { isThere, parseTestReference } from './test-reference.ts';

describe('readScenarios', () => {
  test('has 26 scenarios, in order', () => {
    expect(readScenarios().map(({ scenario }) => scenario)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
  });

  test.each(readScenarios())('scenario $scenario: tests show it, and they exist', ({ tests }) => {
    expect(tests).not.toEqual([]);
    expect(tests.filter((text) => !isThere(parseTestReference(text)))).toEqual([]);
  });
});
