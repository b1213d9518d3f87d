import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InboundGates, startInboundGates } from '../testing/inbound-gate.ts';
import { createIssuer, type Issuer, nowS, tokenPolicy } from './testing/issuer.ts';

let ours: Issuer;
let other: Issuer;
let gates: InboundGates;

beforeAll(async () => {
  ours = await createIssuer('https://issuer.example');
  other = await createIssuer('accounts@other.example');
  const tokens = tokenPolicy(
    'tokens',
    { issuer: ours.name, jwks: ours.keySet, spaceDelimitedClaims: ['groups'] },
    { issuer: other.name, jwks: other.keySet },
  );
  const gate = (spec: object): string => `${tokens}\n---\n${rules(spec)}`;
  const allow = (rule: object): string => gate({ action: 'ALLOW', rules: [rule] });
  const when = (key: string, ...values: string[]): string => allow({ when: [{ key, values }] });
  gates = await startInboundGates({
    'deny without': gate({ action: 'DENY', rules: [{ from: [{ source: { notRequestPrincipals: ['*'] } }] }] }),
    alice: allow({ from: [{ source: { requestPrincipals: ['https://issuer.example/alice'] } }] }),
    'of the other': allow({ from: [{ source: { requestPrincipals: ['accounts@other.example/*'] } }] }),
    groups: when('request.auth.claims[groups]', 'admin'),
    scope: when('request.auth.claims[scope]', 'read'),
    role: when('request.auth.claims[realm][role]', 'admin'),
    audience: when('request.auth.audiences', 'shop'),
    presenter: when('request.auth.presenter', 'web'),
    'nobody asks': rules({ action: 'ALLOW', rules: [{ from: [{ source: { requestPrincipals: ['*'] } }] }] }),
  });
});
afterAll(() => gates?.close());

/** An AuthorizationPolicy of namespace `a`, as JSON text. */
function rules(spec: object): string {
  const metadata = { name: 'rules', namespace: 'a' };
  return JSON.stringify({ apiVersion: 'security.mesh.io/v1', kind: 'AuthorizationPolicy', metadata, spec });
}

async function status(gate: string, token?: string): Promise<number> {
  const headers = token === undefined ? [] : [['authorization', `Bearer ${token}`] as const];
  return (await gates.send(gate, { headers })).status;
}

describe('a rule about who the token speaks of', () => {
  test.each<[string, number, () => string | undefined | Promise<string>]>([
    ['no token', 403, () => undefined],
    ['a good token', 200, () => ours.token()],
    ['a token without a subject', 403, () => ours.token({ sub: undefined })],
    ['a token with an empty subject', 403, () => ours.token({ sub: '' })],
    ['a text', 401, () => 'a.b.c'],
    ['an expired token', 401, () => ours.token({ exp: nowS() - 60 })],
  ])('DENY without a principal: %s is answered %i', async (_name, expected, token) => {
    expect(await status('deny without', await token())).toBe(expected);
  });

  test.each<[string, number, () => string | undefined | Promise<string>]>([
    ['no token', 403, () => undefined],
    ['her token', 200, () => ours.token()],
    ['her expired token', 401, () => ours.token({ exp: nowS() - 60 })],
    ['his token', 403, () => ours.token({ sub: 'bob' })],
    ['another issuer’s token for the same name', 403, () => other.token()],
    ['another issuer’s token for her whole name', 403, () => other.token({ sub: 'https://issuer.example/alice' })],
  ])('ALLOW for one principal: %s is answered %i', async (_name, expected, token) => {
    expect(await status('alice', await token())).toBe(expected);
  });

  test('holds for the issuer that it names', async () => {
    expect(await status('of the other', await other.token({ sub: 'anybody' }))).toBe(200);
    expect(await status('of the other', await ours.token())).toBe(403);
  });

  test('is fulfilled by no token where nobody verifies any', async () => {
    expect(await status('nobody asks', await ours.token())).toBe(403);
  });
});

describe('a rule about claims', () => {
  test.each<[string, number, object]>([
    ['groups', 200, { groups: ['user', 'admin'] }],
    ['groups', 200, { groups: 'admin' }],
    ['groups', 200, { groups: 'user admin' }],
    ['groups', 403, { groups: 'administrator' }],
    ['groups', 403, { groups: [['admin']] }],
    ['groups', 403, { groups: { admin: true } }],
    ['groups', 403, { group: 'admin' }],
    ['groups', 403, {}],
    ['scope', 200, { scope: 'write read' }],
    ['scope', 403, { scope: 'read:all' }],
    ['role', 200, { realm: { role: 'admin' } }],
    ['role', 403, { 'realm.role': 'admin', role: 'admin' }],
    ['audience', 200, { aud: 'shop' }],
    ['audience', 200, { aud: ['x', 'shop'] }],
    ['audience', 403, { aud: 'shop x' }],
    ['presenter', 200, { azp: 'web' }],
    ['presenter', 403, { azp: 'app' }],
  ])('%s: %i for %j', async (gate, expected, claims) => {
    expect(await status(gate, await ours.token(claims))).toBe(expected);
  });
});
