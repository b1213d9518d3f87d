import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { compileGauged, peerAuthentication } from '../testing/gauged-mesh.ts';
import { Signatures } from './signatures.ts';
import { tokenProviders } from './token-providers.ts';

type Key = Awaited<ReturnType<typeof keyPair>>['privateKey'];

const keyPair = () => generateKeyPair('ES256', { extractable: true });

/** What the key set of a policy with this key says of a token. */
async function verdictOf(
  sign: (own: Key, other: Key) => Promise<string>,
  { location = '', lines = (token: string): readonly string[] => [`Bearer ${token}`] } = {},
): Promise<unknown> {
  const [own, other] = [await keyPair(), await keyPair()];
  const jwks = JSON.stringify({ keys: [{ kid: 'k', alg: 'ES256', ...(await exportJWK(own.publicKey)) }] });
  const policy = `${peerAuthentication('DISABLE')}---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec: {jwtRules: [{issuer: "https://a.example", jwks: '${jwks}'${location}}]}
`;
  const { proxy } = await compileGauged('10.1.0.1', policy);
  const token = await sign(own.privateKey, other.privateKey);
  const headers = lines(token).map((line) => ['Authorization', line] as const);
  const signatures = new Signatures();
  await signatures.learn(new Map([['', proxy]]), { method: 'GET', path: '/', authority: 'h', headers });
  const [provider] = tokenProviders([proxy]);
  return signatures.of(provider?.keySet ?? '', token);
}

const extended = (key: Key): Promise<string> =>
  new SignJWT({ iss: 'https://a.example' })
    .setProtectedHeader({ alg: 'ES256', crit: ['x'], x: 1 })
    .sign(key, { crit: { x: true } });

const signed = (key: Key, kid: string | undefined): Promise<string> =>
  new SignJWT({ iss: 'https://a.example' })
    .setProtectedHeader({ alg: 'ES256', ...(kid !== undefined && { kid }) })
    .sign(key);

describe('Signatures', () => {
  test.each<[string, string, (own: Key, other: Key) => Promise<string>]>([
    ['a token that the key has signed', 'good', (own) => signed(own, 'k')],
    ['a token that names no key', 'good', (own) => signed(own, undefined)],
    ['a token with an extension that must be understood', 'good', (own) => extended(own)],
    ['a token that another key has signed', 'Jwt verification fails', (_, other) => signed(other, 'k')],
    ['a token of another key', "Jwks doesn't have key to match kid or alg from Jwt", (own) => signed(own, 'x')],
  ])('says of %s: %s', async (_, verdict, sign) => {
    expect(await verdictOf(sign)).toBe(verdict);
  });

  test('knows a token that stands over two lines of a header, of which Envoy makes one', async () => {
    const location = ', fromHeaders: [{name: Authorization, prefix: Bearer}]';
    const split = { location, lines: (token: string) => ['Bearer', token] };
    expect(await verdictOf((own) => signed(own, 'k'), split)).toBe('good');
  });

  test('says nothing of what is no token', async () => {
    expect(await verdictOf(async () => 'a.b.c')).toBeUndefined();
  });
});
