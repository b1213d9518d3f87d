import { createTokenIssuer, unixTime } from './token-issuer.ts';

/** What a request carries in `Authorization: Bearer`. */
export type TokenKind =
  | 'no token'
  | 'valid'
  | 'malformed'
  | 'of a wrong signature'
  | 'of a wrong issuer'
  | 'of a wrong audience'
  | 'expired';

/** A request through the gateway and the status that it gets. */
export interface TokenCell {
  readonly token: TokenKind;
  readonly path: '/ip' | '/headers';
  readonly status: '200' | '401' | '403';
}

/** Policies in force together, and what they do. */
export interface TokenRow {
  readonly title: string;
  /** Files of examples/edge/policies, beside the exposure. */
  readonly files: readonly string[];
  readonly cells: readonly TokenCell[];
}

const invalid = ['malformed', 'of a wrong signature', 'of a wrong issuer', 'expired'] as const;

function cell(token: TokenKind, status: TokenCell['status'], path: TokenCell['path'] = '/ip'): TokenCell {
  return { token, status, path };
}

/** The specification's observable behaviours 1 to 5 and its table of errors, at an ingress gateway. */
export const tokenRows: readonly TokenRow[] = [
  { title: 'no policy', files: [], cells: [cell('no token', '200'), cell('malformed', '200')] },
  {
    title: 'RequestAuthentication',
    files: ['request-authentication.yaml'],
    cells: [
      cell('no token', '200'),
      cell('valid', '200'),
      ...invalid.map((token) => cell(token, '401')),
      // Envoy's word for a good token that is meant for somebody else.
      cell('of a wrong audience', '403'),
    ],
  },
  {
    title: 'RequestAuthentication, and DENY without a request principal',
    files: ['request-authentication.yaml', 'deny-without-token.yaml'],
    cells: [cell('no token', '403'), cell('valid', '200'), ...invalid.map((token) => cell(token, '401'))],
  },
  {
    title: 'RequestAuthentication, and the same DENY for /headers alone',
    files: ['request-authentication.yaml', 'deny-without-token-on-headers.yaml'],
    cells: [
      cell('no token', '403', '/headers'),
      cell('no token', '200', '/ip'),
      cell('valid', '200', '/headers'),
      cell('malformed', '401', '/headers'),
      cell('malformed', '401', '/ip'),
    ],
  },
];

/** Tokens of each kind, minted now, and the key set that checks them. */
export interface MintedTokens {
  readonly jwks: string;
  readonly tokens: Readonly<Record<TokenKind, string | undefined>>;
  /** A token that expires in so many seconds. */
  expiring(seconds: number): Promise<{ readonly token: string; readonly expiresAt: number }>;
}

/** Mints a token of each kind for `https://issuer.example`. */
export async function mintTokens(): Promise<MintedTokens> {
  const issuer = await createTokenIssuer('https://issuer.example');
  const forger = await createTokenIssuer(issuer.name);
  return {
    jwks: issuer.jwks,
    tokens: {
      'no token': undefined,
      valid: await issuer.mint(),
      malformed: 'deadbeef',
      'of a wrong signature': await forger.mint(),
      'of a wrong issuer': await issuer.mint({ iss: 'https://other.example' }),
      'of a wrong audience': await issuer.mint({ aud: 'somebody-else' }),
      expired: await issuer.mint({ exp: unixTime() - 60 }),
    },
    expiring: async (seconds) => {
      const expiresAt = unixTime() + seconds;
      return { token: await issuer.mint({ exp: expiresAt }), expiresAt };
    },
  };
}

/** The policy with the key set in it: the issuer of the example has no server. */
export function withKeys(policy: string, jwks: string): string {
  return policy.replace(/jwksUri: .*/, () => `jwks: '${jwks}'`);
}
