import { describe, expect, test } from 'vitest';
import { condition, lowered, source } from './testing/written-rule.ts';

describe('tokens', () => {
  test.each([
    ['*', '(iss regex .+ & sub regex .+)'],
    ['https://i/s', '(iss exact https://i & sub exact s)'],
    ['https://i/*', '(iss exact https://i & sub regex .+)'],
    ['i/pre*', '(iss exact i & sub prefix pre)'],
    ['pre*', '(iss prefix pre & sub regex .+)'],
    ['*/s', '(iss regex .+ & sub exact s)'],
    ['*tail/s', '(iss suffix tail & sub exact s)'],
    ['*tail', '(iss regex .+ & sub suffix tail)'],
  ])('request principal %s is issuer and subject', (value, expected) => {
    expect(lowered(source({ requestPrincipals: [value] }))).toEqual(['any', expected]);
    expect(lowered(condition('request.auth.principal', value))).toEqual(['any', expected]);
    expect(lowered(source({ notRequestPrincipals: [value] }), { action: 'DENY' })).toEqual(['any', `!${expected}`]);
  });

  test.each([
    ['request.auth.claims[groups]', 'groups[] exact v'],
    ['request.auth.claims[a][b.c]', 'a.b.c[] exact v'],
    ['request.auth.audiences', 'aud[] exact v'],
    ['request.auth.presenter', 'azp[] exact v'],
  ])('condition %s is on a claim', (key, expected) => {
    expect(lowered(condition(key, 'v'))).toEqual(['any', expected]);
  });
});
