import { describe, expect, test } from 'vitest';
import { canonicalAuthority } from '../authority.ts';
import { condition, lowered } from './testing/written-rule.ts';

describe('operations', () => {
  const canonical = `:authority regex ${canonicalAuthority.value}`;
  const noHost = ':authority exact  | :authority contains , | :authority contains @';
  const giving = (...forms: string[]) => {
    const named = forms.map((form) => `:authority ${form}`).join(' | ');
    return `(${canonical} & ${forms.length > 1 ? `(${named})` : named})`;
  };
  const taking = (...forms: string[]) => `(${forms.map((form) => `:authority ${form}`).join(' | ')} | ${noHost})`;
  const withDot = ['exact-i h.example', 'prefix-i h.example:', 'exact-i h.example.', 'prefix-i h.example.:'];
  const address = ['exact-i [::1]', 'prefix-i [::1]:'];

  test.each([
    [['h.example'], giving('exact-i h.example', 'prefix-i h.example:'), taking(...withDot)],
    [['h.example.'], giving('exact-i h.example', 'prefix-i h.example:'), taking(...withDot)],
    [['h:80'], giving('exact-i h:80'), taking('exact-i h:80', 'exact-i h.:80')],
    [['h*'], giving('prefix-i h'), taking('prefix-i h')],
    [
      ['*.d'],
      giving('suffix-i .d', 'contains-i .d:'),
      taking('suffix-i .d', 'contains-i .d:', 'suffix-i .d.', 'contains-i .d.:'),
    ],
    [['[::1]'], giving(...address), taking(...address, 'exact-i [::1].', 'prefix-i [::1].:')],
    [['::1'], giving(...address), taking(...address, 'exact-i [::1].', 'prefix-i [::1].:')],
    [['a:1', 'b*'], giving('exact-i a:1', 'prefix-i b'), taking('exact-i a:1', 'exact-i a.:1', 'prefix-i b')],
    [['*'], ':authority present', 'any'],
    [['a', '*'], ':authority present', 'any'],
  ])(
    'hosts %j are those of canonical authorities where they give, and met in every spelling where they take',
    (hosts, given, taken) => {
      const rule = { to: [{ operation: { hosts } }] };
      const negated = { to: [{ operation: { notHosts: hosts } }] };
      const key = { when: [{ key: 'request.headers[Host]', values: hosts }] };
      expect(lowered(rule)).toEqual([given, 'any']);
      expect(lowered(rule, { action: 'DENY' })).toEqual([taken, 'any']);
      expect(lowered(negated)).toEqual([`!${taken}`, 'any']);
      expect(lowered(negated, { action: 'DENY' })).toEqual([`!${given}`, 'any']);
      expect([lowered(key), lowered(key, { action: 'DENY' })]).toEqual([
        [given, 'any'],
        [taken, 'any'],
      ]);
    },
  );

  test.each([
    ['h:80', 'h'],
    ['h:*', 'h'],
    ['h:8*', 'h'],
    ['*.d:80', '*.d'],
    ['[::1]:80', '[::1]'],
    ['*:80', '*'],
    ['h', 'h'],
    ['h*', 'h*'],
    ['[::1]', '[::1]'],
    ['::1', '::1'],
  ])('host %s takes access away as %s at a gateway, where authorities have no port', (host, expected) => {
    const rule = { to: [{ operation: { hosts: [host] } }] };
    const plain = { to: [{ operation: { hosts: [expected] } }] };
    expect(lowered(rule, { action: 'DENY', isGateway: true })).toEqual(lowered(plain, { action: 'DENY' }));
    expect(lowered(rule, { isGateway: true })).toEqual(lowered(rule));
  });

  test.each([
    ['/a', 'path exact /a', 'path exact /a | path contains /..; | path contains /.;'],
    [
      '/a*',
      '(path prefix /a & !(path contains /..; | path contains /.;))',
      'path prefix /a | path contains /..; | path contains /.;',
    ],
    [
      '*.php',
      '(path suffix .php & !(path contains /..; | path contains /.;))',
      'path suffix .php | path contains /..; | path contains /.;',
    ],
    ['*', 'path prefix /', undefined],
    ['/', 'path exact /', 'path exact / | path exact // | path contains /..; | path contains /.;'],
    [
      '/a/{*}/b/{**}',
      '(template /a/*/b/** & !(path contains /..; | path contains /.;))',
      'path regex /a/[^/]+/b/.* | path contains /..; | path contains /.;',
    ],
    [
      '/a.b/{**}/c',
      '(template /a.b/**/c & !(path contains /..; | path contains /.;))',
      'path regex /a\\.b/.*/c | path contains /..; | path contains /.;',
    ],
    ['/a:b', 'path exact /a:b', 'path regex /a(?::|%3[aA])b | path contains /..; | path contains /.;'],
    [
      '/@me*',
      '(path prefix /@me & !(path contains /..; | path contains /.;))',
      'path regex /(?:@|%40)me.* | path contains /..; | path contains /.;',
    ],
    [
      '*%2Aé',
      '(path suffix %2Aé & !(path contains /..; | path contains /.;))',
      'path regex .*(?:\\*|%2[aA])(?:é|%[cC]3%[aA]9) | path contains /..; | path contains /.;',
    ],
    [
      '/a\\b%61',
      'path exact /a\\b%61',
      'path regex /a(?:\\\\|%5[cC]|/)b(?:a|%61) | path contains /..; | path contains /.;',
    ],
    [
      '/{*}/a!',
      '(template /*/a! & !(path contains /..; | path contains /.;))',
      'path regex /[^/]+/a(?:!|%21) | path contains /..; | path contains /.;',
    ],
  ])('path %s is met in every spelling where it takes', (path, giving, taking) => {
    const rule = { to: [{ operation: { paths: [path] } }] };
    expect(lowered(rule)).toEqual([giving, 'any']);
    expect(lowered(rule, { action: 'DENY' })).toEqual([taking === undefined ? 'any' : `(${taking})`, 'any']);
  });

  test.each([
    ['GET', ':method exact GET', ':method exact-i GET'],
    ['*', ':method present', ':method present'],
  ])('method %s is met in any case where it takes', (method, giving, taking) => {
    const rule = { to: [{ operation: { methods: [method] } }] };
    expect(lowered(rule)).toEqual([giving, 'any']);
    expect(lowered(rule, { action: 'DENY' })).toEqual([taking, 'any']);
  });

  test.each([
    ['destination.ip', '10.0.0.1', 'destination-ip 10.0.0.1/32'],
    ['destination.ip', '::ffff:10.0.0.1', 'destination-ip 10.0.0.1/32'],
    ['destination.ip', '::ffff:10.2.0.0/112', 'destination-ip 10.2.0.0/16'],
    ['destination.ip', '::/0', 'destination-ip ::/0'],
    ['destination.port', '080', 'port 80'],
    ['connection.sni', '*.Example', 'server-name suffix-i .Example'],
    ['experimental.envoy.filters.network.mysql_proxy[db.table]', '[update]', 'db.table[] exact update'],
  ])('condition %s with %s is on the connection', (key, value, expected) => {
    expect(lowered(condition(key, value))).toEqual([expected, 'any']);
  });
});
