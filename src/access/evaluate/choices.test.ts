import { describe, expect, test } from 'vitest';
import { everyWay } from './choices.ts';

describe('everyWay', () => {
  test('gives one result, which assumes nothing, where nothing is asked', () => {
    expect(everyWay(() => 'x')).toEqual([{ result: 'x', because: [] }]);
  });

  test('takes every answer of every question, also of those that only one answer leads to', () => {
    const found = everyWay((choose) => {
      if (choose('authorizer', 'opa', ['allow', 'deny']) === 'deny') return '403';
      return choose('fault', 'default', ['injected', 'passed']) === 'injected' ? '418' : '200';
    });
    expect(found.map(({ result, because }) => [result, ...because.map(({ answer }) => answer)])).toEqual([
      ['418', 'allow', 'injected'],
      ['200', 'allow', 'passed'],
      ['403', 'deny'],
    ]);
  });
});
