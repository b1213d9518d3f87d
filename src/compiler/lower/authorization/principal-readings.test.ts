import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { AuthorizationRule } from '../../../policy/authorization-policy.ts';
import * as make from '../../../testing/objects.ts';
import { Memo } from '../memo.ts';
import { checkPrincipals } from './principal-readings.ts';

/** Messages about one rule where tokens of these issuers are taken. */
function told(rule: AuthorizationRule, ...issuers: string[]): string[] {
  const bag = new DiagnosticBag();
  const policies = [make.authorizationPolicy('a/p', { action: 'DENY', rules: [rule] })];
  const tokens = [make.requestAuthentication('a/t', { jwtRules: issuers.map((issuer) => ({ issuer })) })];
  const memo = new Memo();
  checkPrincipals(policies, tokens, memo, bag);
  checkPrincipals(policies, tokens, memo, bag);
  return bag.all.map(({ message }) => message);
}

const principal = (value: string): AuthorizationRule => ({ from: [{ source: { requestPrincipals: [value] } }] });

describe('checkPrincipals', () => {
  test.each([
    ['https://i/a/b', 'https://i'],
    ['https://i/a/*', 'https://i'],
    ['https://i/tenant/a/b', 'https://i/tenant'],
    ['*/a/b', 'https://i'],
    ['*tenant/a/b', 'https://i/tenant'],
  ])('"%s" reads two ways where tokens of "%s" are taken', (value, issuer) => {
    expect(told(principal(value), 'https://other', issuer)).toHaveLength(1);
  });

  test('reports both readings once, for sources and for conditions', () => {
    const readings = 'subject "b" of issuer "https://i/a", or subject "a/b" of issuer "https://i"';
    const value = 'https://i/a/b';
    expect(told(principal(value), 'https://i')).toEqual([
      `"requestPrincipals[0]" is "${value}", which may mean ${readings}`,
    ]);
    const condition = { when: [{ key: 'request.auth.principal', notValues: [value] }] };
    expect(told(condition, 'https://i')).toEqual([`"notValues[0]" is "${value}", which may mean ${readings}`]);
  });

  test.each([
    ['https://i/a/b', 'https://i/a'],
    ['https://i/a', 'https://i'],
    ['https://i/*', 'https://i'],
    ['*/b', 'https://i'],
    ['*', 'https://i'],
    ['i/a/b', 'https://i'],
  ])('"%s" reads one way where tokens of "%s" are taken', (value, issuer) => {
    expect(told(principal(value), issuer)).toEqual([]);
  });

  test.each(['request.headers[referer]', 'request.auth.audiences', 'source.principal'])(
    'says nothing of a condition on %s',
    (key) => {
      expect(told({ when: [{ key, values: ['https://i/a/b'] }] }, 'https://i')).toEqual([]);
    },
  );

  test('says nothing where no tokens are taken', () => {
    expect(told(principal('https://i/a/b'))).toEqual([]);
  });
});
