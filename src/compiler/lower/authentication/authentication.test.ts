import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { KeySetAnswer, KeySets } from '../../../policy/key-sets.ts';
import type { JwtRule, RequestAuthentication } from '../../../policy/request-authentication.ts';
import * as make from '../../../testing/objects.ts';
import type { JwtAuthnIR, JwtProviderIR } from '../../ir/jwt-authn.ts';
import type { Lowering } from '../lowering.ts';
import { Memo } from '../memo.ts';
import { authenticationFilters } from './authentication.ts';
import { standInKeySet } from './stand-in.ts';

const keys: KeySetAnswer = { text: '{"keys":[]}' };
const atHand: KeySets = { find: () => keys };

function policy(name: string, ...jwtRules: readonly JwtRule[]): RequestAuthentication {
  return make.requestAuthentication(name, { jwtRules });
}

function lowering(keySets = atHand, memo = new Memo()): Lowering {
  return { settings: defaultSettings, memo, keySets };
}

function lowered(
  policies: readonly RequestAuthentication[],
  { keySets = atHand, bag = new DiagnosticBag(), memo = new Memo() } = {},
): JwtAuthnIR | undefined {
  return authenticationFilters(policies, lowering(keySets, memo), bag)?.[0];
}

/** The only provider of one rule. */
function provider(rule: JwtRule): JwtProviderIR {
  const [first] = lowered([policy('a/p', { issuer: 'i', ...rule })])?.providers ?? [];
  if (first === undefined) throw new Error('no provider');
  return first;
}

describe('the filter that refuses tokens', () => {
  const names = (...rules: readonly JwtRule[]) => {
    const [tokens, refused] = authenticationFilters([policy('a/p', ...rules)], lowering(), new DiagnosticBag()) ?? [];
    expect(refused).toMatchObject({ action: 'DENY', shadow: undefined, origins: tokens?.origins });
    return { told: tokens?.invalidTokenRule, names: refused?.policies?.map(({ name }) => name) };
  };

  test('has a rule about audiences where a rule has some, and always the one whose refusals are reported as 401', () => {
    const invalid = 'ns[]-policy[invalid-token]-rule[0]';
    expect(names({ issuer: 'i' })).toEqual({ told: invalid, names: [invalid] });
    expect(names({ issuer: 'i', audiences: ['x'] })).toEqual({
      told: invalid,
      names: ['ns[]-policy[audience-of-token]-rule[0]', invalid],
    });
  });

  test('looks at the headers of tokens wherever a rule leaves them', () => {
    const rules = [{ issuer: 'i', audiences: ['x'] }, { issuer: 'j' }, { issuer: 'k', audiences: ['y'] }];
    const [tokens, refused] = authenticationFilters([policy('a/p', ...rules)], lowering(), new DiagnosticBag()) ?? [];
    const read = JSON.stringify(refused?.policies?.at(-1)?.principal);
    const keys = tokens?.providers.map(({ headerKey }) => headerKey) ?? [];
    expect(keys).toEqual(['header-0', 'header', 'header-2']);
    for (const key of keys) expect(read).toContain(`["${key}","crit"]`);
  });
});

describe('authenticationFilters', () => {
  test('is none without rules', () => {
    expect(lowered([])).toBeUndefined();
    expect(lowered([policy('a/p')])).toBeUndefined();
  });

  test('joins the rules of all policies, by issuer, and keeps two of one issuer', () => {
    const policies = [
      policy('a/old', { issuer: 'b', audiences: ['x'] }, { jwksUri: 'https://k' }),
      policy('a/new', { issuer: 'b' }, { issuer: 'a' }),
    ];
    const { providers = [] } = lowered(policies) ?? {};
    expect(providers.map(({ name, issuer, audiences }) => [name, issuer, audiences])).toEqual([
      ['origins-0', undefined, []],
      ['origins-1', 'a', []],
      ['origins-2', 'b', ['x']],
      ['origins-3', 'b', []],
    ]);
    expect(providers.map(({ origins }) => origins.decidedBy.map(({ name, field }) => [name, field.at(-1)]))).toEqual([
      [['old', 1]],
      [['new', 1]],
      [['old', 0]],
      [['new', 0]],
    ]);
  });

  test.each<[JwtRule, Partial<JwtProviderIR>]>([
    [{}, { headers: [], params: [], cookies: [], forward: false, payloadHeader: undefined, claimHeaders: [] }],
    [
      { fromHeaders: [{ name: 'x' }, { name: 'y', prefix: 'Value ' }] },
      {
        headers: [
          { name: 'x', prefix: '' },
          { name: 'y', prefix: 'Value ' },
        ],
      },
    ],
    [
      { fromParams: ['t'], fromCookies: ['c'] },
      { params: ['t'], cookies: ['c'] },
    ],
    [
      { forwardOriginalToken: true, outputPayloadToHeader: 'x-p' },
      { forward: true, payloadHeader: 'x-p' },
    ],
    [{ outputClaimToHeaders: [{ header: 'x-a', claim: 'a.b' }] }, { claimHeaders: [{ header: 'x-a', claim: 'a.b' }] }],
    [{}, { spaceDelimitedClaims: ['permission', 'scope'] }],
    [{ spaceDelimitedClaims: ['scope', 'groups'] }, { spaceDelimitedClaims: ['permission', 'scope', 'groups'] }],
  ])('%j', (rule, expected) => {
    expect(provider(rule)).toMatchObject(expected);
  });

  test.each<[JwtRule, boolean]>([
    [{}, true],
    [{ fromParams: ['t'] }, true],
    [{ fromHeaders: [{ name: 'x' }] }, false],
    [{ fromCookies: ['c'] }, false],
    [{ fromHeaders: [], fromCookies: ['c'] }, false],
    [{ fromHeaders: [] }, true],
  ])('with %j an answer that repeats the URL is stripped: %s', (rule, expected) => {
    expect(lowered([policy('a/p', rule)])?.stripFailureResponse).toBe(expected);
  });

  test('strips the answer when one rule of several takes tokens from the query', () => {
    const policies = [policy('a/p', { fromCookies: ['c'] }, { fromParams: ['t'] })];
    expect(lowered(policies)?.stripFailureResponse).toBe(true);
  });

  test('stands in for keys that are not at hand, and says whose, where and why', () => {
    const bag = new DiagnosticBag();
    const missing: KeySetAnswer = { reason: 'no answer' };
    const policies = [policy('a/p', { issuer: 'here' }, { issuer: 'away' }, { jwksUri: 'https://k' })];
    const keySets: KeySets = { find: ({ issuer }) => (issuer === 'here' ? keys : missing) };
    expect(lowered(policies, { keySets, bag })?.providers.map(({ keySet }) => keySet)).toEqual([
      standInKeySet,
      standInKeySet,
      keys.text,
    ]);
    expect(bag.all.map(({ code, span }) => [code, span?.file])).toEqual([
      ['key-set-not-at-hand', 'RequestAuthentication/a/p#spec.jwtRules.1.issuer'],
      ['key-set-not-at-hand', 'RequestAuthentication/a/p#spec.jwtRules.2.jwksUri'],
    ]);
    expect(bag.all[0]?.message).toContain('"away" are not available (no answer)');
  });

  test('is the identical object until a policy or a key set is another', () => {
    const memo = new Memo();
    const policies = [policy('a/p', { issuer: 'i' })];
    const first = lowered(policies, { memo });
    expect(lowered(policies, { memo })).toBe(first);
    const other: KeySetAnswer = { text: '{"keys":[{}]}' };
    const second = lowered(policies, { memo, keySets: { find: () => other } });
    expect(second?.providers[0]?.keySet).toBe(other.text);
    expect(lowered(policies, { memo })).toBe(first);
  });
});
