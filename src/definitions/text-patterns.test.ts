import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formats, holdsFormat } from '../schema/formats.ts';
import { Dice } from '../testing/dice.ts';
import { keyPatterns, type TextPattern, textPatterns } from './text-patterns.ts';

/** Texts of all formats, valid and not; others are made of their parts. */
const samples: readonly string[] = [
  ...['ratings', 'ratings.shop.svc.cluster.local', '*.example.com', '*-x.a.b', 'a.b.', 'A.b', '*', 'a.1', '1-a', '1a'],
  ...['ns/*', './a.b', '*/*.a.b', '~/*', 'shop/*.example.com', '10.0.0.1', 'mesh', 'ns/web', './web', 'a/b/c', '.'],
  ...[
    '1ms',
    '1h30m',
    '1.5s',
    '0s',
    '500us',
    '1.5ms',
    '.5s',
    '1.s',
    '+5s',
    '-0s',
    '-1s',
    '0',
    '5',
    '1µs',
    '0.0h',
    '0m1s',
  ],
  ...['http', 'GRPC-Web', 'UDP', 'HTTP_PROXY', 'thrift', 'POSTGRES', '0', '080', '65535', '65536', '-1', '8080'],
  ...['a b', '100%%', '%REQ(a)%', 'é', '100%', 'a\nb', '%a%', '%REQ(X-A?:B):12%', 'a\tb', '%A%%', '%%A%', '%A(%)%'],
  ...['https://a/b', 'http://a:8080', 'ftp://a', 'https://', 'http://[::1]:1/', 'HTTPS://a', 'http://?a'],
  ...['10.0.0.0/8', '1.2.3', '1.2.3.4/33', '::1', 'fd00::/8', '::/129', '::ffff:1.2.3.4', '1.2.3.4/08', '::1%eth0'],
  ...[
    '127.0.0.1:80',
    '[::1]:80',
    ':80',
    '0.0.0.0:65536',
    '[::]:1',
    'unix:///a',
    '{"keys":[{"kty":"RSA"}]}',
    ' {}',
    '[]',
  ],
  ...['app', 'a.b/c_d', '/a', 'A/b', 'a/', 'v1.2_b', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(253), 'a'.repeat(321)],
  ...['/a', '/a/{*}/b', '/a/{**}/b', '/{*}/{**}', '/a{*}', '/{**}/{*}', '/{id}', '{**}', '/a b/{*}', '/{**}/{**}'],
  ...['5xx,503', '', '5xx, 503', '999', 'reset,unavailable', 'shop/web', 'w*', 'a.*', '*.b', 'a*b', '**', '*a*'],
];

/** Formats of which a server cannot say everything; of all others it says the same as the compiler. */
const partly: ReadonlySet<string> = new Set([
  // The length of one label of a host, a top level of digits, and the numbers of an address or port.
  ...['destination-host', 'dns-subdomain', 'egress-host', 'gateway-host', 'gateway-reference', 'host-or-address'],
  ...['ip-address', 'ip-block', 'wildcard-host', 'export-to', 'service-export-to', 'ingress-endpoint', 'port-text'],
  // Parts of a millisecond or second.
  ...['duration', 'duration-or-zero', 'whole-seconds'],
  // What only a parser of JSON or of URIs knows.
  ...['http-uri', 'jwks'],
]);

describe('textPatterns', () => {
  test.each(Object.keys(textPatterns))('refuse no %s that the compiler takes', (format) => {
    const pattern = textPatterns[format] ?? {};
    const refused = texts.filter((text) => holdsFormat(format, text) && !isTaken(text, pattern));
    expect(refused).toEqual([]);
  });

  test.each(Object.keys(textPatterns).filter((name) => !partly.has(name)))('take no other text for a %s', (format) => {
    const pattern = textPatterns[format] ?? {};
    const taken = texts.filter((text) => isTaken(text, pattern) && !holdsFormat(format, text));
    expect(taken).toEqual([]);
  });

  test('reject most random texts, also if they are less strict than the format', () => {
    for (const format of partly) {
      const pattern = textPatterns[format] ?? {};
      const share = texts.filter((text) => isTaken(text, pattern)).length / texts.length;
      expect([format, share < 0.5]).toEqual([format, true]);
    }
  });

  test('exist for every format of the kinds', () => {
    // No API server stores tests of policies.
    const ofTests = ['decider', 'request-host', 'request-method', 'request-path', 'request-value'];
    const others = new Set(['timestamp', 'label-key', 'selector-key', 'port-key', 'host', ...ofTests]);
    expect(Object.keys(textPatterns).sort()).toEqual(
      Object.keys(formats)
        .filter((name) => !others.has(name))
        .sort(),
    );
    const keys = readdirSync('schemas').flatMap((file) => {
      const text = readFileSync(`schemas/${file}`, 'utf8');
      return [...text.matchAll(/"propertyNames": \{\s*"format": "([\w-]+)"/g)].map(([, name = '']) => name);
    });
    const known = [...Object.keys(keyPatterns), 'selector-key', 'header-name'];
    expect(keys.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('keyPatterns', () => {
  test.each(Object.keys(keyPatterns))('refuse no key in the format %s, and take hardly others', (format) => {
    const pattern = new RegExp(keyPatterns[format] ?? '');
    expect(texts.filter((text) => holdsFormat(format, text) && !pattern.test(text))).toEqual([]);
    const taken = texts.filter((text) => pattern.test(text) && !holdsFormat(format, text));
    // The length of a prefix is not looked at.
    expect(taken.filter((text) => text.length < 100)).toEqual([]);
  });
});

const texts = variants(samples, 20_000);

/** The samples, and texts that are made of them: cut, joined, repeated, and with other characters. */
function variants(from: readonly string[], count: number): readonly string[] {
  const dice = new Dice(17);
  const signs = [...'aZ09.-_*/:%{}~+[]() ,\n\té\x7f?#'];
  const made = new Set(from);
  while (made.size < count) {
    const text = dice.pick([...from.slice(0, 40), dice.pick(from)]);
    const at = dice.below(text.length + 1);
    const rest = text.slice(at + dice.below(2));
    made.add(
      dice.chance(30)
        ? text.slice(0, at) + dice.pick(from)
        : text.slice(0, at) + (dice.chance(70) ? dice.pick(signs) : '') + rest,
    );
  }
  return [...made];
}

function isTaken(
  text: string,
  { pattern = '', maxLength = Number.POSITIVE_INFINITY, allOf = [] }: TextPattern,
): boolean {
  const patterns = [pattern, ...allOf.map((further) => further.pattern)];
  return [...text].length <= maxLength && patterns.every((one) => expression(one).test(text));
}

/** Expressions of JavaScript have RE2's flag for letters of any case as a flag of the whole. */
function expression(pattern: string): RegExp {
  return pattern.includes('(?i:') ? new RegExp(pattern.replace('(?i:', '(?:'), 'i') : new RegExp(pattern);
}
