import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formats, holdsFormat } from './formats.ts';

describe('formats', () => {
  test.each([
    ['destination-host', ['ratings', 'ratings.shop.svc.cluster.local', '*.example.com'], ['*', '', 'a_b']],
    ['dns-label', ['a', 'a-1'], ['', 'A', '-a', 'a.b', 'a'.repeat(64)]],
    ['dns-subdomain', ['a.b-c.d'], ['a..b', '.a', 'a'.repeat(254)]],
    ['duration', ['1ms', '1h30m', '1.5s'], ['0s', '500us', '1.5ms', '5', '']],
    ['duration-or-zero', ['0s', '5s'], ['-1s', '1ns']],
    ['whole-seconds', ['24h', '0s'], ['1500ms']],
    ['export-to', ['.', '*', 'shop'], ['~', 'Shop', '']],
    ['service-export-to', ['~'], ['a/b']],
    [
      'gateway-host',
      ['*', 'a.example.com', 'ns/*', './a.b', '*/*.a.b', '10.0.0.1'],
      ['a', 'ns/', '/a.b', 'a/b/c.d', 'a.*'],
    ],
    ['entry-protocol', ['http', 'UDP', ''], ['POSTGRES', 'BOGUS']],
    ['gateway-protocol', ['http', 'GRPC-Web'], ['UDP', '']],
    ['gateway-reference', ['mesh', 'web', 'ns/web', './web', 'web.ns.svc.cluster.local'], ['a/b/c', '/web', 'Ns/web']],
    ['header-value', ['a b', '100%%', '%REQ(a)%', 'é'], ['100%', 'a\nb', '%a%']],
    ['host-or-address', ['10.0.0.1', 'fd00::1', '*.a.b'], ['10.0.0.0/8', '1.2.3.4.5']],
    ['http-uri', ['https://a/b', 'http://a:8080'], ['ftp://a', 'https://', 'https://a:99999', 'https://a:0', '/a']],
    [
      'ip-block',
      ['10.0.0.0/8', '1.2.3.4', '::1', 'fd00::/8'],
      ['1.2.3', '1.2.3.4/33', '::/129', '1.2.3.4/08', 'a', '::1%eth0'],
    ],
    ['jwks', ['{"keys":[{"kty":"RSA"}]}'], ['{}', '[]', 'a', '{"keys":[]}', '{"keys":[null]}']],
    ['label-key', ['app', 'a.b/c_d'], ['', '/a', 'A/b', 'a/', 'a/b/c']],
    [
      'path-template',
      ['/a', '*', '/a/{*}/b', '/a/{**}/b', '/{*}/{**}'],
      ['/a{*}', '/{**}/{*}', '/{id}', '{**}', '/a b/{*}'],
    ],
    ['port-key', ['1', '65535'], ['0', '65536', '080', 'http', '-1']],
    ['retry-on', ['5xx,503', ''], ['5xx, 503', '5xy', '999']],
    ['service-account', ['web', 'shop/web'], ['/web', 'a/b/c', 'w*', 'a'.repeat(321)]],
    ['timestamp', ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+02:00'], ['2026-01-31', '2026-13-01T00:00:00Z']],
    ['trust-domain-pattern', ['*', 'a.b', '*.b', 'a.*'], ['a*b', '*a*', 'a/b', '']],
    ['wildcard-host', ['*', '*.a.b', '*-x.a.b', 'a.b.', 'A.b'], ['a.*', '*a.b', '**.b', 'a.1', `${'a'.repeat(64)}.b`]],
  ])('%s holds for %j and for none of %j', (format, good, bad) => {
    expect(good.filter((text) => !holdsFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => holdsFormat(format, text))).toEqual([]);
  });
});

describe('schemas', () => {
  const schemas = readdirSync('schemas').map((name) => JSON.parse(readFileSync(`schemas/${name}`, 'utf8')) as object);

  test('use every format, and only formats that exist', () => {
    const used = new Set<string>();
    for (const schema of schemas) collectFormats(schema, used);
    expect([...used].sort()).toEqual(Object.keys(formats).sort());
  });

  test('describe every field', () => {
    expect(schemas.flatMap((schema) => undescribed(schema, ''))).toEqual([]);
  });
});

function collectFormats(node: unknown, used: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  const { format } = node as { readonly format?: unknown };
  if (typeof format === 'string') used.add(format);
  for (const value of Object.values(node)) collectFormats(value, used);
}

/** Paths of properties that neither say what they are nor refer to something that does. */
function undescribed(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const properties = Object.entries((node as { readonly properties?: object }).properties ?? {});
  const silent = properties
    .filter(([, value]) => !('description' in value) && !('$ref' in value))
    .map(([name]) => `${path}/${name}`);
  return [...silent, ...Object.entries(node).flatMap(([key, value]) => undescribed(value, `${path}/${key}`))];
}
