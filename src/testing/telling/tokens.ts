import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { stringify } from 'yaml';
import { compileGauged, peerAuthentication } from '../gauged-mesh.ts';
import { casesOf, get, type Row, type TellingCase } from './case.ts';
import { accessPolicy } from './servers.ts';

type Sign = (claims: JWTPayload, header?: object) => Promise<string>;

/** A new key, its set, and tokens that it signs. */
async function newIssuer(issuer: string): Promise<{ readonly jwks: string; readonly sign: Sign }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ kid: issuer, alg: 'ES256', ...(await exportJWK(publicKey)) }] });
  const sign: Sign = (claims, header = {}) =>
    new SignJWT({ iss: issuer, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: issuer, ...header })
      .sign(privateKey, { crit: { x: true } });
  return { jwks, sign };
}

const one = 'https://one.example';
const two = 'https://two.example';

const claim = (path: string, name: string, ...values: readonly string[]): object => ({
  to: [{ operation: { paths: [path] } }],
  when: [{ key: `request.auth.claims[${name}]`, values }],
});

const access = accessPolicy('ALLOW', [
  claim('/scope', 'scope', 'write'),
  claim('/groups', 'groups', 'ops'),
  claim('/any-group', 'groups', '*'),
  claim('/user', 'sub', 'ann'),
  { to: [{ operation: { paths: ['/open'] } }] },
]);

/** Requests with tokens to a server at this address. */
export async function tellingTokens(address: string): Promise<readonly TellingCase[]> {
  const [first, second] = [await newIssuer(one), await newIssuer(two)];
  const policy = stringify({
    apiVersion: 'security.mesh.io/v1',
    kind: 'RequestAuthentication',
    metadata: { name: 'tokens', namespace: 'foo' },
    spec: {
      jwtRules: [
        { issuer: one, jwks: first.jwks, forwardOriginalToken: true, audiences: ['shop'] },
        {
          issuer: two,
          jwks: second.jwks,
          fromHeaders: [{ name: 'authorization', prefix: 'Bearer ' }, { name: 'x-token' }],
          fromParams: ['token'],
          outputClaimToHeaders: [{ header: 'x-role', claim: 'role' }],
        },
      ],
    },
  });
  const text = [peerAuthentication('DISABLE'), policy, access].join('---\n');
  const mesh = await compileGauged(address, text);
  return casesOf(mesh, 8080, [...(await ofFirst(first.sign, second.sign)), ...(await ofSecond(second.sign))]);
}

const bearer = (token: string): readonly [string, string] => ['authorization', `Bearer ${token}`];
const past = 1_000_000_000;
/** A token that ended then is refused, although Envoy's clock and ours differ. */
const justEnded = (): number => Math.floor(Date.now() / 1000) - 10;

async function ofFirst(sign: Sign, other: Sign): Promise<readonly Row[]> {
  const aud = 'shop';
  const scopes = await sign({ aud, scope: 'read write' });
  const groups = await sign({ aud, groups: ['dev', 'ops'] });
  const ann = await sign({ aud, sub: 'ann' });
  return [
    ['words of a scope are a list', get('/scope', bearer(scopes))],
    ['one member of a claim is enough', get('/groups', bearer(groups))],
    ['a number is no text', get('/any-group', bearer(await sign({ aud, groups: 7 })))],
    ['a text is one', get('/any-group', bearer(await sign({ aud, groups: 'x' })))],
    ['what must be understood is refused', get('/open', bearer(await sign({ aud }, { crit: ['x'], x: 1 })))],
    ['a token for others is answered 403', get('/open', bearer(await sign({ aud: 'bank' })))],
    ['an expired one 401, with the reason of its issuer', get('/open', bearer(await sign({ aud, exp: past })))],
    ['one that ended a moment ago too', get('/open', bearer(await sign({ aud, exp: justEnded() })))],
    ['another key has signed', get('/open', bearer(await other({ iss: one, aud })))],
    ['another issuer', get('/open', bearer(await sign({ iss: 'https://three.example', aud })))],
    ['a prefix may stand in the middle', get('/user', ['authorization', `Basic Bearer ${ann}`])],
    ['two lines of Authorization are one', get('/open', bearer(ann), bearer('x'))],
    ['a token in the query goes on', get(`/user?access_token=${ann}&z=1`)],
  ];
}

async function ofSecond(sign: Sign): Promise<readonly Row[]> {
  const ann = await sign({ sub: 'ann', role: 'chief' });
  const expired = await sign({ exp: past });
  return [
    ['a second rule is asked where the first finds no token', get('/open', ['x-token', expired])],
    ['the last place has the reason', get('/open', bearer('abc'), ['x-token', expired])],
    ['nobody else writes a header of claims', get('/open', ['x-role', 'chief'])],
    ['a claim goes into its header', get('/user', bearer(ann), ['x-role', 'none'])],
    ['a token in the query goes no further', get(`/user?token=${ann}&z=1`)],
    ['the first of two parameters counts', get(`/user?token=${ann}&token=x`)],
    ['also where it is empty', get(`/user?token=&token=${ann}`)],
  ];
}
