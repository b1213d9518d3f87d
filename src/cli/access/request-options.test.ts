import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

const issuer = 'https://i.example';
const policies = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, jwtRules: [{issuer: "${issuer}", jwksUri: "${issuer}/keys"}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules: [{from: [{source: {requestPrincipals: ["${issuer}/me"]}}]}]
`;
const mesh = '--assume shop/cart,ports=http:80 --assume shop/web --from shop/web --to cart';
const firstLine = ({ out }: { readonly out: string }): string | undefined => out.split('\n')[0];

describe('meshpol explain --token', () => {
  let folder: string;
  let jwks: string;
  let mine: string;
  let foreign: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'token-'));
    const [own, other] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const sign = (key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'], subject: string): Promise<string> =>
      new SignJWT()
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setSubject(subject)
        .setExpirationTime('1h')
        .sign(key);
    const keys = [await exportJWK(own.publicKey)];
    jwks = `--jwks ${issuer}=${join(folder, 'keys.json')}`;
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys }));
    [mine, foreign] = await Promise.all([sign(own.privateKey, 'me'), sign(other.privateKey, 'me')]);
    writeFileSync(join(folder, 'other.jwt'), `Bearer ${await sign(own.privateKey, 'you')}\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('verifies a token with the key set of the policy', async () => {
    const { code, out, error } = await run(`explain - ${mesh} ${jwks} --token ${mine}`, policies);
    expect([code, error, firstLine({ out })]).toEqual([0, '', 'reaches shop/cart']);
    expect(out).toContain('  - the token is sent in the header authorization after "Bearer "\n');
    const forged = await run(`explain - ${mesh} ${jwks} --token ${foreign}`, policies);
    expect(firstLine(forged)).toMatch(/^401 jwt_authn_access_denied\{Jwt_verification_fails\} \(RequestAuthentication/);
  });

  test('reads a token from a file', async () => {
    const answer = await run(`explain - ${mesh} ${jwks} --token ${join(folder, 'other.jwt')}`, policies);
    expect(firstLine(answer)).toMatch(/^403 rbac_access_denied_matched_policy\[none\]/);
  });

  test.each([
    ['fromHeaders: [{name: x-token, prefix: "T "}]', 'header x-token after "T "'],
    ['fromParams: [t]', 'parameter t'],
    ['fromCookies: [c]', 'header cookie after "c="'],
  ])('sends the token where the policy says %s', async (field, place) => {
    const text = policies.replace('jwksUri:', `${field}, jwksUri:`);
    const { out } = await run(`explain - ${mesh} ${jwks} --token ${mine}`, text);
    expect(firstLine({ out })).toBe('reaches shop/cart');
    expect(out).toContain(`  - the token is sent in the ${place}\n`);
  });

  test('refuses what is no token, or not a request that can carry it', async () => {
    const cases: readonly (readonly [string, number, string])[] = [
      ['--token a.b.c', 2, '--token: the text is no token that Envoy reads'],
      [`--token ${join(folder, 'keys.json')}`, 2, `"${join(folder, 'keys.json')}" is no token that Envoy reads`],
      [`--token ${folder}/none`, 3, `cannot read "${folder}/none", which --token names`],
      [`--token ${mine} --header authorization:x`, 2, 'the request has a header "authorization" already'],
      [`--token ${mine} --claims {}`, 2, '--claims and --token exclude each other'],
      [`--token ${mine} --protocol tcp`, 2, '--token and --protocol tcp exclude each other'],
      ['--variants --protocol tcp', 2, '--variants and --protocol tcp exclude each other'],
    ];
    for (const [options, expected, message] of cases) {
      const { code, error } = await run(`explain - ${mesh} ${jwks} ${options}`, policies);
      expect([code, error]).toEqual([expected, expect.stringContaining(message)]);
    }
  });
});

describe('meshpol explain --authorizer', () => {
  const custom = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: asked, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, action: CUSTOM, provider: {name: guard}, rules: [{}]}
`;
  test('fixes the answer of external authorizers; without it each answer is an outcome', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authorizer-'));
    try {
      const config = join(folder, 'mesh.yaml');
      const provider = '{name: guard, envoyExtAuthzHttp: {service: guard.shop.svc.cluster.local, port: 80}}';
      writeFileSync(config, `extensionProviders: [${provider}]\n`);
      const line = `explain - ${mesh} --assume shop/guard,ports=http:80 --meshConfig ${config}`;
      expect(firstLine(await run(line, custom))).toBe('3 outcomes are possible:');
      const allowed = await run(`${line} --authorizer allow`, custom);
      expect(firstLine(allowed)).toBe('reaches shop/cart');
      expect(allowed.out).toContain('  - external authorizers allow requests\n');
      expect(firstLine(await run(`${line} --authorizer deny`, custom))).toMatch(/^403 /);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('meshpol explain --without-redirection', () => {
  test('leaves out sidecars, and says so', async () => {
    const { out } = await run(`explain - ${mesh} --without-redirection`, policies);
    expect(firstLine({ out })).toBe('reaches shop/cart');
    expect(out).toContain('  shop/cart, server: no proxy on the way\n');
    expect(out).toContain('  - redirection is not set up: connections go around all sidecars\n');
    expect(out).not.toContain('redirection is set up as the agent does it');
  });
});

describe('meshpol explain --variants', () => {
  const deny = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: no-admin, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, action: DENY, rules: [{to: [{operation: {paths: [/admin]}}]}]}
`;
  test('prints the spellings of the path with another answer, and what the application gets', async () => {
    const { out } = await run(`explain - ${mesh} --path /admin?x --variants`, deny);
    expect(firstLine({ out })).toMatch(/^403 /);
    expect(out).toMatch(/\n\d+ other spellings of the path were tried, \d+ have another answer:\n/);
    expect(out).toContain('\n  /Admin?x: reaches shop/cart; the application gets /Admin?x\n');
    expect(out).not.toContain('/x/../admin');
    const open = await run(`explain - ${mesh} --path /free --variants`, deny);
    expect(open.out).toContain('\n  /free%00: 400 path_normalization_failed\n');
  });
});
