import { describe, expect, test } from 'vitest';
import { coversValue, ValueSet } from './value-set.ts';

const answers = (values: readonly string[], value: string): readonly boolean[] => [
  new ValueSet(values).covers(value),
  values.some((other) => coversValue(other, value)),
];

describe('a set of values', () => {
  test.each<[string, readonly string[], string]>([
    ['a value of its own', ['/a', '/b'], '/b'],
    ['a template of its own', ['/a/{*}'], '/a/{*}'],
    ['anything, by a star alone', ['*'], 'x'],
    ['what begins so', ['/a*'], '/a/b'],
    ['what is the beginning itself', ['/a/*'], '/a/'],
    ['a narrower beginning', ['/a*'], '/a/b*'],
    ['what ends so', ['*.txt'], '/a.txt'],
    ['a narrower ending', ['*t'], '*.txt'],
  ])('covers %s', (_, values, value) => {
    expect(answers(values, value)).toEqual([true, true]);
  });

  test.each<[string, readonly string[], string]>([
    ['another value', ['/a', '/b'], '/c'],
    ['a template, by a beginning', ['/a/*'], '/a/{*}'],
    ['a wider beginning', ['/a/*'], '/a*'],
    ['an ending, by a beginning', ['/a*'], '*a'],
    ['a beginning, by an ending', ['*a'], 'a*'],
    ['everything, by a beginning', ['/*'], '*'],
    ['what a star between letters would be', ['/a*b'], '/axb'],
    ['an ending without anything before it', ['*a'], 'a'],
  ])('does not cover %s', (_, values, value) => {
    expect(answers(values, value)).toEqual([false, false]);
  });

  test('of 100,000 beginnings answers 100,000 times', () => {
    const set = new ValueSet(Array.from({ length: 100_000 }, (_, i) => `/api/${i}/*`));
    const asked = Array.from({ length: 100_000 }, (_, i) => `/api/${2 * i}/x`);
    expect(asked.filter((path) => set.covers(path))).toHaveLength(50_000);
  });
});
