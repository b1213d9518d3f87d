import { describe, expect, test } from 'vitest';
import { areSeenTogether, areSeenTogetherElsewhere, isPrivate, isVisible } from './visibility.ts';

const exported = (namespace: string, ...exportTo: string[]) => ({ namespace, exportTo });

describe('isVisible', () => {
  test.each([
    [['*'], 'other', true],
    [['.'], 'own', true],
    [['.'], 'other', false],
    [['~'], 'own', false],
    [['other'], 'other', true],
    [['other'], 'own', false],
  ])('exportTo %j, seen from %s: %s', (exportTo, client, expected) => {
    expect(isVisible(exportTo, 'own', client)).toBe(expected);
  });
});

describe('isPrivate', () => {
  test.each([
    [['.'], true],
    [['~'], true],
    [['own', '.'], true],
    [['*'], false],
    [['.', 'other'], false],
  ])('exportTo %j: %s', (exportTo, expected) => {
    expect(isPrivate(exportTo, 'own')).toBe(expected);
  });
});

describe.each([
  ['both to all', exported('a', '*'), exported('b', '*'), true, true],
  ['one to all, one to a third namespace', exported('a', '*'), exported('b', 'third'), true, true],
  ['both to a third namespace', exported('a', 'third'), exported('b', 'third'), true, true],
  ['one to all, one to itself', exported('a', '*'), exported('b', '.'), true, false],
  ['one to the namespace of the other', exported('a', 'b'), exported('b', '.'), true, false],
  ['each to itself', exported('a', '.'), exported('b', '.'), false, false],
  ['both to themselves, in one namespace', exported('a', '.'), exported('a', '.'), true, false],
  ['one to nobody', exported('a', '*'), exported('b', '~'), false, false],
  ['to different namespaces', exported('a', 'third'), exported('b', 'fourth'), false, false],
] as const)('two objects, %s', (_, one, other, together, elsewhere) => {
  test.each([
    ['in this order', one, other],
    ['in the other order', other, one],
  ])('are seen together: %s', (_name, a, b) => {
    expect([areSeenTogether(a, b), areSeenTogetherElsewhere(a, b)]).toEqual([together, elsewhere]);
  });
});
