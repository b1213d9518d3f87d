import { grantType, isTokenText, jwtType } from './names.ts';
import { plainWords } from './plain-words.ts';
import type { TokenRequest } from './token-manager.ts';

/** What a caller asks for, or why that is no request. */
export type ParsedTokenRequest =
  | { readonly request: TokenRequest; readonly problem?: never }
  | { readonly problem: string; readonly request?: never };

/** More parameters are none that RFC 8693 knows. */
const mostParameters = 64;

/** The caller's clock may be so much ahead of ours. */
const clockSkewMs = 60_000;

/** Thrown and caught inside this file: the first fault ends the reading. */
class Fault extends Error {}

/**
 * Reads the body of a request for a token (RFC 8693, section 2.1). Repeated parameters are refused, empty ones count as
 * absent (RFC 6749, section 3.2). Problems quote no token.
 */
export function parseTokenRequest(body: Uint8Array, nowMs: number): ParsedTokenRequest {
  try {
    const parameters = parseForm(body);
    const value = (name: string): string => parameters.get(name) ?? '';
    expectValue('grant_type', value('grant_type'), grantType);
    const subjectToken = value('subject_token');
    if (subjectToken === '') throw new Fault('subject_token is missing');
    expectValue('subject_token_type', value('subject_token_type'), jwtType);
    checkToken(subjectToken, nowMs);
    return {
      request: {
        grantType,
        subjectToken,
        subjectTokenType: jwtType,
        scope: value('scope'),
        audience: value('audience'),
        resource: value('resource'),
      },
    };
  } catch (fault) {
    if (fault instanceof Fault) return { problem: fault.message };
    throw fault;
  }
}

function parseForm(body: Uint8Array): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const pairs = decodeUtf8(body).split('&').filter(Boolean);
  if (pairs.length > mostParameters) throw new Fault(`the body has more than ${mostParameters} parameters`);
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    const name = decodePart(end === -1 ? pair : pair.slice(0, end));
    if (parameters.has(name)) throw new Fault(`${plainWords(JSON.stringify(name))} is given more than once`);
    parameters.set(name, end === -1 ? '' : decodePart(pair.slice(end + 1)));
  }
  return parameters;
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Fault('the body is not UTF-8');
  }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Fault('the body is no form: a percent sign begins no character');
  }
}

function expectValue(name: string, value: string, expected: string): void {
  if (value === '') throw new Fault(`${name} is missing`);
  if (value !== expected) throw new Fault(`${name} is ${plainWords(JSON.stringify(value))}, and must be "${expected}"`);
}

/** The shape alone, and the end of its life: whether somebody signed it, only the cloud can tell. */
function checkToken(token: string, nowMs: number): void {
  const parts = token.split('.');
  const isSigned = parts.length === 3 && parts.every((part) => /^[\w-]+$/.test(part));
  const claims = isSigned ? objectOf(parts[1]) : undefined;
  if (!isTokenText(token) || claims === undefined || objectOf(parts[0]) === undefined)
    throw new Fault('subject_token is no JSON web token');
  const { exp } = claims;
  if (typeof exp === 'number' && exp * 1000 + clockSkewMs < nowMs) throw new Fault('subject_token has expired');
}

function objectOf(part = ''): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // No JSON: no token.
    return undefined;
  }
}
