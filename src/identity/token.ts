import { readNamedText } from '../lib/read-file.ts';

/** What a token says of itself. Nothing of it is verified: the CA does that. */
export interface TokenClaims {
  /** `sub` */
  readonly subject: string | undefined;
  /** `exp`, milliseconds since the epoch. */
  readonly expiresAtMs: number | undefined;
}

/** A token's text, or why there is none. Never log the text. */
export type TokenAnswer =
  | { readonly token: string; readonly problem?: never }
  | { readonly problem: string; readonly token?: never };

/** No platform makes longer tokens; a longer file is none. */
const longestToken = 65_536;

/** Reads a token's file anew: the platform rewrites it long before the token expires. */
export async function readToken(path: string): Promise<TokenAnswer> {
  let text: string;
  try {
    text = (await readNamedText(path, 'latin1')).trim();
  } catch (error) {
    return { problem: `the token "${path}" cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})` };
  }
  if (text === '') return { problem: `the token "${path}" is empty` };
  // Anything else is no header value, and the exception that says so would quote it.
  if (text.length > longestToken || !/^[\x21-\x7e]+$/.test(text))
    return { problem: `the file "${path}" holds no token` };
  return { token: text };
}

/** The claims of a JSON web token (RFC 7519); none of a text that is no such token. */
export function claimsOf(token: string): TokenClaims {
  const none = { subject: undefined, expiresAtMs: undefined };
  const parts = token.split('.');
  if (parts.length !== 3) return none;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null) return none;
    const { sub, exp } = claims as { readonly sub?: unknown; readonly exp?: unknown };
    return {
      subject: typeof sub === 'string' ? sub : undefined,
      expiresAtMs: typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined,
    };
  } catch {
    // Opaque to us; it may mean something to the CA.
    return none;
  }
}
