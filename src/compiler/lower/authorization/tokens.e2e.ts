import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIssuer, type Issuer, tokenPolicy } from '../authentication/testing/issuer.ts';
import type { InboundGates } from '../testing/inbound-gate.ts';
import { type Rules, startRuleGates } from './testing/rule-gates.ts';

const rules: Rules = {
  'deny on /headers without a token': [
    ['DENY', '[{from: [{source: {notRequestPrincipals: ["*"]}}], to: [{operation: {paths: [/headers]}}]}]'],
  ],
  'deny without a token': [['DENY', '[{from: [{source: {notRequestPrincipals: ["*"]}}]}]']],
  'allow one principal': [['ALLOW', '[{from: [{source: {requestPrincipals: ["issuer-with/slashes/sub"]}}]}]']],
  'allow an issuer': [['ALLOW', '[{from: [{source: {requestPrincipals: ["https://issuer.example/*"]}}]}]']],
  'allow nothing': [['ALLOW', '[]']],
  'allow a group': [
    ['ALLOW', '[{when: [{key: "request.auth.claims[groups]", values: [group-2]}]}]'],
    ['ALLOW', '[{when: [{key: "request.auth.claims[permission]", values: [write]}]}]'],
    ['ALLOW', '[{when: [{key: "request.auth.claims[nested][key]", values: ["valu*"]}]}]'],
    ['ALLOW', '[{when: [{key: request.auth.audiences, values: [shop]}]}]'],
    ['ALLOW', '[{when: [{key: request.auth.presenter, values: [app]}]}]'],
  ],
  'from and to': [
    [
      'ALLOW',
      '[{from: [{source: {requestPrincipals: ["*"]}}], to: [{operation: {methods: [GET]}}, {operation: {paths: [/p]}}]}]',
    ],
  ],
};

let ours: Issuer;
let slashes: Issuer;
let gates: InboundGates;

beforeAll(async () => {
  ours = await createIssuer('https://issuer.example');
  slashes = await createIssuer('issuer-with/slashes');
  const issuers = [ours, slashes].map(({ name, keySet }) => ({ issuer: name, jwks: keySet }));
  gates = await startRuleGates(rules, tokenPolicy('tokens', ...issuers));
});

afterAll(() => gates?.close());

describe('rules about tokens', () => {
  const bearer = (token: string): readonly (readonly [string, string])[] => [['authorization', `Bearer ${token}`]];

  test.each<[string, string, number, Readonly<Record<string, unknown>> | 'none' | 'bad']>([
    ['deny without a token', '/', 403, 'none'],
    ['deny without a token', '/', 401, 'bad'],
    ['deny without a token', '/', 200, {}],
    ['deny without a token', '/', 403, { sub: undefined }],
    ['deny without a token', '/', 403, { sub: '' }],
    ['deny on /headers without a token', '/ip', 200, 'none'],
    ['deny on /headers without a token', '/headers', 403, 'none'],
    ['deny on /headers without a token', '/headers?x=1', 403, 'none'],
    ['deny on /headers without a token', '/headers', 200, {}],
    ['allow nothing', '/', 401, 'bad'],
    ['allow an issuer', '/', 200, {}],
    ['allow an issuer', '/', 403, 'none'],
    ['allow a group', '/', 403, {}],
    ['allow a group', '/', 200, { groups: ['group-1', 'group-2'] }],
    ['allow a group', '/', 200, { groups: 'group-2' }],
    ['allow a group', '/', 403, { groups: ['group-22'] }],
    ['allow a group', '/', 200, { permission: 'a write' }],
    ['allow a group', '/', 403, { permission: 'awrite' }],
    ['allow a group', '/', 200, { nested: { key: 'value-3' } }],
    ['allow a group', '/', 403, { 'nested.key': 'value-3' }],
    ['allow a group', '/', 200, { aud: ['shop', 'other'] }],
    ['allow a group', '/', 200, { azp: 'app' }],
    ['from and to', '/p', 200, {}],
    ['from and to', '/p', 403, 'none'],
  ])('%s: %s is answered %i to a token with %j', async (gate, path, status, claims) => {
    const token = claims === 'none' ? undefined : claims === 'bad' ? 'a.b.c' : await ours.token(claims);
    expect((await gates.send(gate, { path, headers: token === undefined ? [] : bearer(token) })).status).toBe(status);
  });

  test('split a principal at its last slash', async () => {
    const of = async (issuer: Issuer, sub: string) =>
      (await gates.send('allow one principal', { headers: bearer(await issuer.token({ sub })) })).status;
    expect(await of(slashes, 'sub')).toBe(200);
    expect(await of(slashes, 'other')).toBe(403);
    expect(await of(ours, 'sub')).toBe(403);
  });
});
