import { describe, expect, test } from 'vitest';
import { repeatedKey } from './repeated-key.ts';

describe('repeatedKey', () => {
  test.each([
    ['{"a": 1, "a": 2}', { key: 'a', start: 9 }],
    ['{"b": {"a": [{"x": 1 , "x" :2}]}}', { key: 'x', start: 23 }],
    ['{"a": {}, "\\u0061": 2}', { key: 'a', start: 10 }],
    ['{"\\"": 1, "\\"": 2}', { key: '"', start: 10 }],
    ['{"__proto__": 1, "__proto__": 2}', { key: '__proto__', start: 17 }],
  ])('finds the second of a pair in %s', (text, expected) => {
    expect(repeatedKey(text)).toEqual(expected);
  });

  test.each([
    '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}], "c": "a"}',
    '{"a": "a", "b": "\\"a\\": 1", "c": ["a", "a"]}',
    '["a", "a", ":"]',
    '{}',
    '"a"',
  ])('finds none in %s', (text) => {
    expect(repeatedKey(text)).toBeUndefined();
  });
});
