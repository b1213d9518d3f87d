import { describe, expect, test } from 'vitest';
import { parseStruct } from './struct-json.ts';
import { parseToken } from './token.ts';

const within = (open: string, close: string, times: number): string =>
  `{"x":${open.repeat(times)}1${close.repeat(times)}}`;

describe('parseStruct', () => {
  test.each([
    '{}',
    '{"a":[{"b":1},{"b":1}],"b":{"a":"}"}}',
    '{"a":"\\"a\\":1","b":"a"}',
    '{"x":"\\ud83d\\ude00"}',
    '{"x":1e308,"y":1e-400,"z":"\\u0000"}',
    '{"__proto__":{"__proto__":1}}',
    within('[', ']', 99),
    within('{"a":', '}', 99),
  ])('reads %s', (text) => {
    expect(parseStruct(text)).toEqual(JSON.parse(text));
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[{}]'],
    ['no object', 'null'],
    ['a key twice', '{"a":1,"b":{},"a":1}'],
    ['a key twice, further in', '{"x":[{"a":1,"a":2}]}'],
    ['a key twice, once escaped', '{"a\\u0062":1,"ab":2}'],
    ['a number beyond a double', '{"x":[-1.8e308]}'],
    ['half of a pair in a text', '{"x":["\\udc00"]}'],
    ['half of a pair in a key', '{"x":{"\\ud800":1}}'],
    ['101 levels of lists', within('[', ']', 100)],
    ['101 levels of objects', within('{"a":', '}', 100)],
  ])('refuses %s: %s', (_, text) => {
    expect(parseStruct(text)).toBeUndefined();
  });

  test('is what claims and headers of tokens are read with', () => {
    const section = (text: string): string => Buffer.from(text).toString('base64url');
    const [good, bad] = ['{"alg":"ES256"}', '{"alg":"ES256","alg":"ES256"}'];
    expect(parseToken(`${section(good)}.${section('{"iss":"a","iss":"b"}')}.AA`)).toBe(
      'Jwt payload is an invalid JSON',
    );
    expect(parseToken(`${section(bad)}.${section('{"iss":"a"}')}.AA`)).toBe('Jwt header is an invalid JSON');
    expect(parseToken(`${section(good)}.${section('{"iss":"a"}')}.AA`)).toMatchObject({ claims: { iss: 'a' } });
  });
});
