import { describe, expect, test } from 'vitest';
import { condition, lowered } from './testing/written-rule.ts';

describe('operations', () => {
  const noHost = ':authority exact  | :authority contains , | :authority contains @';
  const hostForms = (host: string) =>
    [`exact-i ${host}`, `prefix-i ${host}:`, `exact-i ${host}.`, `prefix-i ${host}.:`]
      .map((form) => `:authority ${form}`)
      .join(' | ');

  test.each([
    ['h.example', `(${hostForms('h.example')})`, `(${hostForms('h.example')} | ${noHost})`],
    ['h.example.', `(${hostForms('h.example')})`, `(${hostForms('h.example')} | ${noHost})`],
    ['h:80', '(:authority exact-i h:80 | :authority exact-i h.:80)', undefined],
    ['h*', ':authority prefix-i h', `(:authority prefix-i h | ${noHost})`],
    [
      '*.d',
      '(:authority suffix-i .d | :authority contains-i .d: | :authority suffix-i .d. | :authority contains-i .d.:)',
      undefined,
    ],
    ['*', ':authority present', 'any'],
  ])('host %s is met in every spelling where it takes', (host, giving, taking) => {
    const rule = { to: [{ operation: { hosts: [host] } }] };
    expect(lowered(rule)).toEqual([giving, 'any']);
    if (taking !== undefined) expect(lowered(rule, { action: 'DENY' })).toEqual([taking, 'any']);
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
