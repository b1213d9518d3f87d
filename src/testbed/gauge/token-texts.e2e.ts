import { createSign, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EdgeEnvoy, expected } from '../../testing/edge-envoy.ts';
import { both, type Edge, type Line, text } from '../../testing/head-edges.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keySet = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] });
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (signed: string): string => createSign('sha256').update(signed).sign(privateKey, 'base64url');

const head = encode({ alg: 'RS256', kid: 'k' });
const body = encode({ iss: 'https://a.example', sub: 'ann' });
const signature = sign(`${head}.${body}`);
const good = `${head}.${body}.${signature}`;
const within = (section: string): string => `${section.slice(0, 5)} ${section.slice(5)}`;
const signedBlank = ` ${head}.${body}`;

/** The same token with more in it; the signature has 342 characters, so that two of padding are right. */
const tokens: Readonly<Record<string, string>> = {
  'as it is': good,
  'a blank before': ` ${good}`,
  'a blank behind': `${good} `,
  'a tab behind': `${good}\t`,
  'a blank within the header': `${within(head)}.${body}.${signature}`,
  'a blank within the payload': `${head}.${within(body)}.${signature}`,
  'a blank before the payload': `${head}. ${body}.${signature}`,
  'a blank within the signature': `${head}.${body}.${within(signature)}`,
  'a blank that is signed': `${signedBlank}.${sign(signedBlank)}`,
  'one sign of padding': `${good}=`,
  'two signs of padding': `${good}==`,
  'padding behind a blank': `${good} = =`,
  'no signature': `${head}.${body}.`,
  'a blank for a signature': `${head}.${body}. `,
  'nothing but a blank': ' ',
  nothing: '',
  'quotes around it': `"${good}"`,
  'one quote before it': `"${good}`,
};
const unreadable: Readonly<Record<string, string>> = {
  'an end of a line before': `\n${good}`,
  'an end of a line behind': `${good}\r\n`,
  'a form feed behind': `${good}\f\v`,
  'a zero behind': `${good}\0`,
  'a byte that is not ASCII behind': `${good}\xa0`,
};

const escaped = (token: string): string =>
  token.replaceAll(/[^\w.-]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
const named = ([what, value]: readonly [string, string], edge: (value: string, what: string) => readonly Edge[]) =>
  edge(value, what);
const inHeader = (name: string, before: string) => (value: string, what: string) =>
  both(`${name} with ${what}`, { headers: [[name, before + value]] });
const inQuery = (value: string, what: string) => [text(`?token with ${what}`, { path: `/?token=${escaped(value)}` })];

const headers: readonly (readonly [name: string, value: string])[] = [
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer \t'],
  ['authorization', ` Bearer ${good}`],
  ['authorization', `Bearer\t${good}`],
  ['x-short', 'Tok'],
  ['x-short', 'Tok !'],
  ['x-short', `Tok${good}`],
  ['cookie', `session=${good} ; a=b`],
  ['cookie', `a=b;  session=${good}`],
  ['cookie', `session =${good}x`],
  ['cookie', `a;\tsession=${good}x`],
  ['cookie', `session="${good}" `],
  ['cookie', `session=; session=${good}`],
  ['cookie', 'session="'],
  ['cookie', 'session=""'],
];

const edges: readonly Edge[] = [
  ...Object.entries({ ...tokens, ...unreadable }).flatMap((one) => named(one, inQuery)),
  ...Object.entries(tokens).flatMap((one) => [
    ...named(one, inHeader('authorization', 'Bearer ')),
    ...named(one, inHeader('x-token', '')),
    ...named(one, inHeader('cookie', 'session=')),
  ]),
  ...headers.flatMap((line) => both(JSON.stringify(line).replaceAll(good, 'TOKEN'), { headers: [line] })),
  ...both('two lines of a token', { headers: ['', good].map((value): Line => ['x-token', value]) }),
];

const filter = {
  name: 'envoy.filters.http.jwt_authn',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
    providers: {
      'origins-0': {
        issuer: 'https://a.example',
        local_jwks: { inline_string: keySet },
        payload_in_metadata: 'payload',
        from_headers: [
          { name: 'authorization', value_prefix: 'Bearer ' },
          { name: 'x-token' },
          { name: 'x-short', value_prefix: 'Tok' },
        ],
        from_params: ['token'],
        from_cookies: ['session'],
      },
    },
    rules: [
      {
        match: { prefix: '/' },
        requires: { requires_any: { requirements: [{ provider_name: 'origins-0' }, { allow_missing: {} }] } },
      },
    ],
  },
};

let envoy: EdgeEnvoy;

beforeAll(async () => {
  const route = { match: { prefix: '/' }, name: 'all', direct_response: { status: 200 } };
  const onward = { match: { prefix: '/' }, name: 'on', route: { cluster: 'next' } };
  envoy = await EdgeEnvoy.start(
    {
      tokens: { filters: [filter], routes: [route] },
      front: { filters: [filter], routes: [onward] },
      next: { routes: [route] },
    },
    [{ name: 'next', listener: 'next', protocol: 'http_protocol_options' }],
    ['cookie', 'x-token'],
  );
}, 120_000);

afterAll(() => envoy.stop());

describe('the text of a token', () => {
  test.each(edges)('$name', async (edge) => {
    await envoy.learn(edge.request);
    const outcome = envoy.predict('tokens', edge.protocol, edge.request);
    expect(await envoy.observe('tokens', edge)).toEqual(expected(outcome));
  });
});

test.each([
  ['x-token', good],
  ['cookie', `a=b; session=${good}; c=d`],
])('a token that is not forwarded leaves the header %s as it is predicted', async (name, value) => {
  const edge = text(name, { headers: [[name, value]] });
  await envoy.learn(edge.request);
  const outcome = envoy.predict('front', edge.protocol, edge.request);
  if (outcome.kind !== 'reaches' || outcome.request === undefined) throw new Error(outcome.kind);
  const { headers, opaque } = outcome.request;
  const before = envoy.lines('next').length;
  await envoy.observe('front', edge);
  expect(envoy.lines('next')[before]?.headers[name]).toBe(headers.find(([one]) => one === name)?.[1] ?? null);
  expect(opaque).toEqual(['x-request-id']);
});
