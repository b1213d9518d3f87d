/** Names of RFC 8693: section 2.1 for the grant, section 3 for token types. */
export const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const jwtType = 'urn:ietf:params:oauth:token-type:jwt';
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** What a caller gets that names no scope. */
export const cloudPlatformScope = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * A text that may stand after `Bearer ` (RFC 6750, section 2.1, and what else a header takes), of a length that a token
 * has.
 */
export function isTokenText(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 65_536 && /^[\x21-\x7e]+$/.test(text);
}
