import { describe, expect, test } from 'vitest';
import type { Source } from '../../../policy/authorization-policy.ts';
import { lowered, source } from './testing/written-rule.ts';

describe('identities', () => {
  test.each<[Source, string, string]>([
    [{ principals: ['td/ns/a/sa/b'] }, 'identity exact spiffe://td/ns/a/sa/b', 'identity exact spiffe://td/ns/a/sa/b'],
    [{ principals: ['td/ns/a/*'] }, 'identity prefix spiffe://td/ns/a/', 'identity prefix spiffe://td/ns/a/'],
    [{ principals: ['*/ns/a/sa/b'] }, 'identity suffix /ns/a/sa/b', 'identity suffix /ns/a/sa/b'],
    [{ principals: ['*'] }, 'identity prefix spiffe://', 'identity present'],
    [{ namespaces: ['a.b'] }, 'identity prefix spiffe://td/ns/a.b/', 'identity contains /ns/a.b/'],
    [{ namespaces: ['a*'] }, 'identity prefix spiffe://td/ns/a', 'identity contains /ns/a'],
    [{ namespaces: ['*a'] }, '(identity prefix spiffe://td/ns/ & identity contains a/sa/)', 'identity contains a/sa/'],
    [{ namespaces: ['*'] }, 'identity prefix spiffe://', 'identity present'],
    [{ serviceAccounts: ['b'] }, 'identity exact spiffe://td/ns/shop/sa/b', 'identity suffix /ns/shop/sa/b'],
    [{ serviceAccounts: ['a/b'] }, 'identity exact spiffe://td/ns/a/sa/b', 'identity suffix /ns/a/sa/b'],
    [{ trustDomains: ['td'] }, 'identity prefix spiffe://td/', 'identity prefix spiffe://td/'],
    [{ trustDomains: ['*.d'] }, 'identity regex spiffe://[^/]*\\.d/ns/.*', 'identity contains .d/ns/'],
    [{ ipBlocks: ['10.1.2.3/8'] }, 'direct-remote-ip 10.0.0.0/8', 'direct-remote-ip 10.0.0.0/8'],
    [{ remoteIpBlocks: ['::1'] }, 'remote-ip ::1/128', 'remote-ip ::1/128'],
  ])('%j are as wide as the rule where they give, and at least as wide where they take', (fields, giving, taking) => {
    expect(lowered(source(fields))).toEqual(['any', giving]);
    expect(lowered(source(fields), { action: 'DENY' })).toEqual(['any', taking]);
  });

  test('negated turn their sense around', () => {
    expect(lowered(source({ notNamespaces: ['a'] }))).toEqual(['any', '!identity contains /ns/a/']);
    expect(lowered(source({ notNamespaces: ['a'] }), { action: 'DENY' })).toEqual([
      'any',
      '!identity prefix spiffe://td/ns/a/',
    ]);
  });

  test.each([
    ['td/ns/a/sa/b', '(identity exact spiffe://td/ns/a/sa/b | identity exact spiffe://old/ns/a/sa/b)'],
    ['old/ns/a/*', '(identity prefix spiffe://td/ns/a/ | identity prefix spiffe://old/ns/a/)'],
    ['cluster.local/ns/a/sa/b', '(identity exact spiffe://td/ns/a/sa/b | identity exact spiffe://old/ns/a/sa/b)'],
    ['other/ns/a/sa/b', 'identity exact spiffe://other/ns/a/sa/b'],
    ['*/ns/a/sa/b', 'identity suffix /ns/a/sa/b'],
    ['t*', '(identity prefix spiffe://t | identity prefix spiffe://old/)'],
    ['*ld/ns/a/sa/b', '(identity suffix ld/ns/a/sa/b | identity exact spiffe://td/ns/a/sa/b)'],
    ['*d/ns/a/sa/b', 'identity suffix d/ns/a/sa/b'],
    ['*other/ns/a/sa/b', 'identity suffix other/ns/a/sa/b'],
    ['oth*', 'identity prefix spiffe://oth'],
    ['*sa/b', 'identity suffix sa/b'],
  ])('principal %s holds in every domain that the mesh trusts', (principal, expected) => {
    const options = { trustDomains: ['td', 'old'] };
    expect(lowered(source({ principals: [principal] }), options)).toEqual(['any', expected]);
    expect(lowered(source({ principals: [principal] }), { ...options, action: 'DENY' })).toEqual(['any', expected]);
  });

  test.each([
    ['t*', '(identity prefix spiffe://t | identity prefix spiffe://old/)', undefined],
    [
      '*ld',
      '(identity regex spiffe://[^/]*ld/ns/.* | identity prefix spiffe://td/)',
      '(identity contains ld/ns/ | identity prefix spiffe://td/)',
    ],
    ['*er', 'identity regex spiffe://[^/]*er/ns/.*', 'identity contains er/ns/'],
    ['oth*', 'identity prefix spiffe://oth', undefined],
  ])(
    'trust domain %s matches every trust domain of the mesh if it matches one of them',
    (domain, giving, taking = giving) => {
      const options = { trustDomains: ['td', 'old'] };
      expect(lowered(source({ trustDomains: [domain] }), options)).toEqual(['any', giving]);
      expect(lowered(source({ trustDomains: [domain] }), { ...options, action: 'DENY' })).toEqual(['any', taking]);
    },
  );
});
