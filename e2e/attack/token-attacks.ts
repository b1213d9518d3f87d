/** A token that its issuer signed, with something in it that verifiers treat differently. */
export interface TokenAttack {
  /** What the token has. */
  readonly about: string;
  readonly header?: object;
  /** Beside `iss` and `sub`. */
  readonly claims?: object;
  /** Status of Envoy where the rule has `audiences: [https://shop.example/api/]`. */
  readonly status: number;
  /** What a strict verifier does, and why. */
  readonly strict: string;
}

/** The audience of the rule. */
export const attackedAudience = 'https://shop.example/api/';

const aud = attackedAudience;

/** Only who holds the issuer's key can make one of these: each says what an issuer must not rely on. */
export const tokenAttacks: readonly TokenAttack[] = [
  {
    about: '`crit` with an unknown extension',
    header: { crit: ['x'], x: 1 },
    claims: { aud },
    status: 401,
    strict:
      'refused: a verifier refuses a token with a critical extension that it does not know (RFC 7515, section 4.1.11)',
  },
  {
    about: '`crit` that is not a list',
    header: { crit: 'x' },
    claims: { aud },
    status: 401,
    strict: 'refused (RFC 7515, section 4.1.11)',
  },
  { about: '`crit: null`', header: { crit: null }, claims: { aud }, status: 401, strict: 'refused' },
  { about: '`crit: []`', header: { crit: [] }, claims: { aud }, status: 401, strict: 'refused' },
  {
    about: '`b64: false`',
    header: { crit: ['b64'], b64: false },
    claims: { aud },
    status: 401,
    strict: 'refused: with it the payload is not Base64-encoded, which a JWT does not allow (RFC 7797, section 7)',
  },
  { about: '`b64: false` without `crit`', header: { b64: false }, claims: { aud }, status: 401, strict: 'refused' },
  {
    about: '`typ` of another kind of token (`secevent+jwt`)',
    header: { typ: 'secevent+jwt' },
    claims: { aud },
    status: 200,
    strict: 'refused if one key signs several kinds of tokens (RFC 8725, section 3.11)',
  },
  {
    about: '`exp: 0`',
    claims: { aud, exp: 0 },
    status: 401,
    strict: 'expired since 1970 (RFC 7519, section 4.1.4); Envoy by itself treats it as no `exp`',
  },
  {
    about: '`exp: 0.5`',
    claims: { aud, exp: 0.5 },
    status: 401,
    strict: 'expired; Envoy by itself treats it as no `exp`',
  },
  { about: '`exp: 1`', claims: { aud, exp: 1 }, status: 401, strict: 'expired' },
  { about: '`exp: -1`', claims: { aud, exp: -1 }, status: 401, strict: 'expired' },
  { about: '`exp` as a string', claims: { aud, exp: '4102444800' }, status: 401, strict: 'refused' },
  { about: 'no `exp`', claims: { aud, exp: undefined }, status: 200, strict: 'never expires: `exp` is optional' },
  {
    about: '`aud` with `http` in place of `https`',
    claims: { aud: 'http://shop.example/api/' },
    status: 403,
    strict: 'refused: audiences are compared exactly (RFC 7519, section 4.1.3)',
  },
  { about: '`aud` without its scheme', claims: { aud: 'shop.example/api/' }, status: 403, strict: 'refused' },
  {
    about: '`aud` without its last slash',
    claims: { aud: 'https://shop.example/api' },
    status: 403,
    strict: 'refused',
  },
  {
    about: '`aud` in a list without its last slash',
    claims: { aud: ['x', 'https://shop.example/api'] },
    status: 403,
    strict: 'refused',
  },
  { about: '`aud` in a list', claims: { aud: ['https://shop.example/api', aud] }, status: 200, strict: 'accepted' },
  {
    about: '`aud` with an additional slash',
    claims: { aud: 'https://shop.example/api//' },
    status: 403,
    strict: 'refused',
  },
  { about: '`aud` with the scheme `ftp`', claims: { aud: 'ftp://shop.example/api/' }, status: 403, strict: 'refused' },
  { about: '`aud` in capitals', claims: { aud: 'https://SHOP.example/api/' }, status: 403, strict: 'refused' },
  { about: 'another `aud`', claims: { aud: 'https://shop.example/' }, status: 403, strict: 'refused' },
];
