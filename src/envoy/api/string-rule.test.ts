import { describe, expect, test } from 'vitest';
import { stringRule } from './string-rule.ts';
import { testRows } from './testing/rule-row.ts';

const core = 'envoy.config.core.v3';
const route = 'envoy.config.route.v3';
const long = 'x'.repeat(16_385);

describe('rules of protoc-gen-validate on texts and bytes', () => {
  testRows([
    ['string.min_len', `${core}.Pipe`, { path: '' }, 'path', 'rule-violated', { path: 'a' }],
    ['string.min_len of an absent field', `${core}.Pipe`, {}, 'path', 'required', { path: 'a' }],
    [
      'string.max_len',
      'envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
      { path_template: `/${'a'.repeat(256)}` },
      'path_template',
      'rule-violated',
      { path_template: `/${'a'.repeat(255)}` },
    ],
    [
      'string.max_bytes',
      `${core}.HeaderValue`,
      { key: 'a', value: long },
      'value',
      'rule-violated',
      { key: 'a', value: long.slice(1) },
    ],
    [
      'string.max_bytes counts bytes',
      `${core}.HeaderValue`,
      { key: 'a', value: 'é'.repeat(8193) },
      'value',
      'rule-violated',
      { key: 'a', value: 'é'.repeat(8192) },
    ],
    [
      'string.pattern',
      `${route}.RouteMatch`,
      { path_separated_prefix: '/a/' },
      'path_separated_prefix',
      'rule-violated',
      { path_separated_prefix: '/a' },
    ],
    ['string.prefix', `${route}.RateLimit.HitsAddend`, { format: 'A%' }, 'format', 'rule-violated', { format: '%A%' }],
    ['string.suffix', `${route}.RateLimit.HitsAddend`, { format: '%A' }, 'format', 'rule-violated', { format: '%A%' }],
    [
      'string.in',
      `${core}.SchemeHeaderTransformation`,
      { scheme_to_overwrite: 'ftp' },
      'scheme_to_overwrite',
      'rule-violated',
      { scheme_to_overwrite: 'https' },
    ],
    ['header name, not strict', `${core}.HeaderValue`, { key: 'a\nb' }, 'key', 'rule-violated', { key: 'a b' }],
    [
      'header value, not strict',
      `${core}.HeaderValue`,
      { key: 'a', value: '\0' },
      'value',
      'rule-violated',
      { key: 'a', value: '\u0001' },
    ],
    [
      'string.ignore_empty',
      `${core}.UpstreamHttpProtocolOptions`,
      { override_auto_sni_header: '\n' },
      'override_auto_sni_header',
      'rule-violated',
      { override_auto_sni_header: '' },
    ],
    [
      'bytes.min_len',
      'envoy.config.common.matcher.v3.HttpGenericBodyMatch.GenericTextMatch',
      { binary_match: '' },
      'binary_match',
      'rule-violated',
      { binary_match: 'AA==' },
    ],
    [
      'bytes.max_len',
      `${core}.HeaderValue`,
      { key: 'a', raw_value: Buffer.alloc(16_385).toString('base64') },
      'raw_value',
      'rule-violated',
      { key: 'a', raw_value: Buffer.alloc(16_384).toString('base64') },
    ],
  ]);
});

/** Of these no field of the API shows both sides. */
describe('stringRule', () => {
  test.each<[object, readonly string[], readonly string[]]>([
    [{ contains: 'b' }, ['b', 'abc'], ['', 'ac']],
    [{ not_contains: 'b' }, ['', 'ac'], ['b', 'abc']],
    [{ prefix: 'a', suffix: 'c' }, ['ac', 'abc'], ['ab', 'bc', 'ca']],
    [{ const: 'a' }, ['a'], ['', 'ab']],
    [{ in: ['a', 'b'] }, ['a', 'b'], ['', 'ab']],
    [{ not_in: ['a', 'b'] }, ['', 'ab'], ['a', 'b']],
    [{ len: 2 }, ['ab', '🙂🙂'], ['a', 'abc', '🙂', '🙂🙂🙂']],
    [{ min_len: 2 }, ['ab', '🙂🙂', 'abcd'], ['', 'a', '🙂']],
    [{ max_len: 2 }, ['', 'ab', '🙂🙂'], ['abc', '🙂🙂🙂']],
    [{ min_bytes: 2 }, ['ab', 'é'], ['', 'a']],
    [{ max_bytes: 4 }, ['', 'abcd', 'éé'], ['abcde', 'ééa', 'ééé']],
    [{ pattern: 'a|b' }, ['a', 'b'], ['ab', 'c', 'a\n']],
    [{ min_len: 2, ignore_empty: true }, ['', 'ab'], ['a']],
    [{ well_known_regex: 'HTTP_HEADER_NAME' }, [':path', 'x-a'], ['', 'a b', 'a:b', 'é']],
    [{ well_known_regex: 'HTTP_HEADER_VALUE' }, ['', 'a b', 'a\tb'], ['a\nb', '\u007f']],
  ])('%j takes %j and refuses %j', (rules, good, bad) => {
    const rule = stringRule(rules);
    expect(good.map((text) => rule?.(text))).toEqual(good.map(() => undefined));
    expect(bad.filter((text) => rule?.(text) === undefined)).toEqual([]);
  });

  test.each<[object, string]>([
    [{ min_len: 1 }, 'must not be empty'],
    [{ min_len: 2 }, 'must have at least 2 characters'],
    [{ max_len: 0 }, 'must have at most 0 characters'],
    [{ min_bytes: 2, max_bytes: 3 }, 'must have 2 to 3 bytes'],
  ])('%j says that a text %s', (rules, message) => {
    const rule = stringRule(rules);
    expect([rule?.(''), rule?.('aaaa')]).toContain(message);
  });

  test('is none where there are no rules, and refuses rules that it does not know', () => {
    expect(stringRule(undefined)).toBeUndefined();
    expect(() => stringRule({ email: true })).toThrow('email');
  });
});
