import { describe, expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import type { HttpRequest } from '../request.ts';
import { checkWire, type WireLimits } from './check-wire.ts';

const reset = (details: string): Outcome => ({ kind: 'reset', details });
const answered = (status: number, details: string): Outcome => ({ kind: 'answered', status, details });
const noRule = reset('http2.violation.of.messaging.rule');
const noField = reset('http2.invalid.header.field');

const limits: WireLimits = { underscores: 'refuse', maxHeaders: 10, maxHeadBytes: 1_024 };
const request = (change: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path: '/',
  authority: 'a',
  headers: [],
  ...change,
});
const lines = (count: number, name = 'x'): HttpRequest['headers'] => Array.from({ length: count }, () => [name, 'v']);
const filled = (length: number): string => 'a'.repeat(length);

describe('checkWire', () => {
  test.each([
    ['none', {}, answered(400, 'query_missing_content_type')],
    ['an empty one', { headers: [['content-type', '']] }, answered(400, 'query_missing_content_type')],
    ['one of which nobody knows the value', { headers: [['content-type', '']], opaque: ['content-type'] }, undefined],
    ['one of which nobody knows whether it is there', { told: ['x'] }, undefined],
  ] as const)('says of QUERY with %s for its content-type what Envoy does', (_, change, outcome) => {
    for (const protocol of ['http/1.1', 'h2'] as const) {
      expect(checkWire({ protocol }, request({ method: 'QUERY', ...change }))).toEqual(outcome);
    }
  });

  test.each([
    ['GET', '/a', undefined],
    ['GET', 'a', noRule],
    ['GET', '*', noRule],
    ['OPTIONS', '*', answered(404, 'absolute_path_rejected')],
    ['OPTIONS', '*a', noRule],
    ['CONNECT', '/', noRule],
    ['G T', '/', noField],
    ['GET', '/\x01', noField],
  ])('says of %s %s over HTTP/2 what the codec does', (method, path, outcome) => {
    expect(checkWire({ protocol: 'h2' }, request({ method, path }))).toEqual(outcome);
  });

  test.each([
    ['as many lines as are allowed', lines(9), lines(6), undefined, undefined],
    ['one line more', lines(10), lines(7), answered(431, 'http1.too_many_headers'), reset('http2.too_many_headers')],
    ['lines that Envoy joins', lines(20, 'accept'), lines(20, 'accept'), undefined, undefined],
    ['as many bytes as are allowed', [['x', filled(992)]], [['x', filled(985)]], undefined, undefined],
    [
      'one byte more',
      [['x', filled(993)]],
      [['x', filled(986)]],
      answered(431, 'http1.headers_too_large'),
      reset('http2.header_list_size_too_large'),
    ],
  ] as const)('counts %s', (_, ofHttp1, ofHttp2, answer, end) => {
    expect(checkWire({ protocol: 'http/1.1' }, request({ headers: ofHttp1 }), limits)).toEqual(answer);
    expect(checkWire({ protocol: 'h2' }, request({ headers: ofHttp2 }), limits)).toEqual(end);
  });

  test('counts the scheme of TLS as one byte more', () => {
    const most = request({ headers: [['x', filled(985)]] });
    expect(checkWire({ protocol: 'h2', tls: { alpn: [] } }, most, limits)?.kind).toBe('reset');
  });

  test.each([
    ['lines', { headers: lines(5), unseen: 5 }, 'the number of header lines that the proxies before it add'],
    ['bytes', { headers: lines(1), unseen: 2 }, 'the size of what the proxies before it add to the headers'],
  ])('promises nothing where the %s that a proxy adds decide', (_, change, at) => {
    const wide = { ...limits, maxHeadBytes: at.includes('lines') ? 61_440 : 1_024 };
    expect(checkWire({ protocol: 'http/1.1' }, request(change), wide)).toEqual({ kind: 'unmodelled', at });
  });

  test('refuses a value longer than HPACK decodes by the end of the connection', () => {
    const long = request({ headers: [['x', filled(65_537)]] });
    expect(checkWire({ protocol: 'h2' }, long)?.kind).toBe('closed');
    expect(checkWire({ protocol: 'http/1.1' }, long)).toEqual(answered(431, 'http1.headers_too_large'));
  });

  test.each([
    [[['x', '\x01']], answered(400, 'http1.invalid_characters'), noField],
    [[['x', '\t']], undefined, undefined],
    [[['x y', 'v']], answered(400, 'http1.codec_error'), noField],
    [[['content-length', 'abc']], answered(400, 'http1.codec_error'), noField],
    [[['content-length', '5']], undefined, undefined],
    [[['content-length', '0']], undefined, undefined],
    [[['transfer-encoding', 'gzip']], answered(501, 'http1.invalid_transfer_encoding'), noField],
    [[['transfer-encoding', 'chunked']], undefined, noField],
    [[['connection', 'x-forwarded-for']], answered(400, 'http1.connection_header_rejected'), noField],
    [
      [
        ['connection', 'te'],
        ['te', filled(255)],
      ],
      undefined,
      noField,
    ],
    [
      [
        ['connection', 'te'],
        ['te', filled(256)],
      ],
      answered(400, 'http1.connection_header_rejected'),
      noField,
    ],
    [[['te', filled(256)]], undefined, noField],
    [[['connection', 'host']], answered(400, 'missing_host_header'), noField],
    [[['te', 'gzip']], undefined, noField],
    [[['host', 'a b']], answered(400, 'http.invalid_authority'), noField],
    [[['host', 'b']], undefined, undefined],
    [lines(2, 'host'), undefined, noField],
  ] as const)('reads %j as the codecs do', (headers, answer, end) => {
    expect(checkWire({ protocol: 'http/1.1' }, request({ headers }))).toEqual(answer);
    expect(checkWire({ protocol: 'h2' }, request({ headers }))).toEqual(end);
  });

  test.each([
    ['/', answered(400, 'http1.invalid_url')],
    ['a', answered(400, 'http1.invalid_url')],
    ['a:80', { kind: 'unmodelled', at: 'CONNECT with a host and a port in place of the path' }],
  ])('says of CONNECT %s what the codec of HTTP/1 does', (path, outcome) => {
    expect(checkWire({ protocol: 'http/1.1' }, request({ method: 'CONNECT', path }))).toEqual(outcome);
  });

  const unknown = { kind: 'unmodelled', at: 'the first line of a head that is too large' };
  const tooLarge = answered(431, 'http1.headers_too_large');
  const wrong = answered(400, 'http1.codec_error');
  test.each([
    ['FOO', '/', wrong],
    ['FOO', `/${filled(50_000)}`, unknown],
    ['FOO', `/${filled(61_500)}`, tooLarge],
    ['FOO', 'http://h/', wrong],
    ['GET', 'a', wrong],
    ['GET', '/\x7f', wrong],
    ['GET', '/\x01', unknown],
    ['GET', '/ ', unknown],
    ['GET', '/', tooLarge],
    ['CONNECT', '/', tooLarge],
  ])('looks at the first line of a head that is too large: %s %.9s', (method, path, outcome) => {
    const large = request({ method, path, headers: [['x', filled(62_000)]] });
    expect(checkWire({ protocol: 'http/1.1' }, large)).toEqual(outcome);
  });

  test('takes blanks for no type of a body over HTTP/1.1, which has none around a value', () => {
    const query = request({ method: 'QUERY', headers: [['content-type', ' ']] });
    expect(checkWire({ protocol: 'http/1.1' }, query)).toEqual(answered(400, 'query_missing_content_type'));
    expect(checkWire({ protocol: 'h2' }, query)).toBeUndefined();
  });

  const target = '/.well-known/masque/udp/a/80/';
  test.each([
    ['/', 'Upgrade', answered(404, 'invalid_path')],
    ['/', 'close', answered(404, 'invalid_path')],
    [target, 'Upgrade', undefined],
    [target, 'Upgrade, host, x-forwarded-for', undefined],
    ['/', 'host', answered(400, 'missing_host_header')],
    [target, 'close', { kind: 'unmodelled', at: 'connect-udp without a change of the protocol' }],
    [`${target}?q`, 'Upgrade', answered(404, 'invalid_path')],
    ['/.well-known/masque/udp/a%25/80/', 'Upgrade', answered(404, 'invalid_path')],
  ])('looks for a target for UDP in %s, with connection %s', (path, connection, outcome) => {
    const headers = [
      ['connection', connection],
      ['upgrade', 'Connect-UDP'],
    ] as const;
    expect(checkWire({ protocol: 'http/1.1' }, request({ path, headers }))).toEqual(outcome);
  });

  test.each([
    [[...lines(10), ['x_y', 'v']], 'http1.too_many_headers'],
    [[['x_y', 'v'], ...lines(10)], 'http1.unexpected_underscore'],
  ] as const)('says which of two faults comes first', (headers, details) => {
    const outcome = checkWire({ protocol: 'http/1.1' }, request({ headers }), limits);
    expect(outcome).toMatchObject({ kind: 'answered', details });
  });
});
