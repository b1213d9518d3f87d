import type { ReadClock } from '../../lib/clock.ts';
import { isNamespace } from './caller.ts';
import { type TokenKeys, verifyToken } from './token.ts';

/** A person who may see the state of the distribution, and the namespaces that this covers. */
export interface DebugReader {
  /** `sub` of the token; for the log. */
  readonly subject: string;
  readonly namespaces: ReadonlySet<string> | 'all';
}

/** A reader, or why the authentication failed: for the log, without the token. */
export type ReaderAuthentication =
  | { readonly reader: DebugReader; readonly problem?: never }
  | { readonly problem: string; readonly isOurFault?: boolean; readonly reader?: never };

/**
 * Audience of the tokens of readers. The certificate authority accepts no such token, and readers can't use one of its
 * tokens.
 */
export const debugAudience = 'mesh-debug';
/** The claim that names a reader's namespaces; `["*"]` names all. */
export const debugClaim = 'debug_namespaces';

/** Largest number of namespaces in a claim. */
const mostNamespaces = 1_000;
const longestSubject = 200;

/** The only bearer token of the header `authorization`, whose values these are; undefined: there is none, or more than one. */
export function onlyBearer(authorization: readonly string[]): string | undefined {
  const [header = ''] = authorization;
  const [, token] = /^bearer +(\S+)$/i.exec(header.trim()) ?? [];
  return authorization.length === 1 ? token : undefined;
}

/** Authenticates a reader by a token of the issuer that names namespaces. */
export async function authenticateReader(
  token: string,
  source: TokenKeys,
  clock: ReadClock,
): Promise<ReaderAuthentication> {
  const verified = await verifyToken(token, { source, audiences: [debugAudience], isFirstParty: false, clock });
  if (verified.claims === undefined) return verified;
  const { sub, [debugClaim]: named } = verified.claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject)
    return { problem: 'the token has no subject' };
  const namespaces = namespacesOf(named);
  if (namespaces === undefined) return { problem: `the claim "${debugClaim}" of the token is no list of namespaces` };
  return { reader: { subject: sub, namespaces } };
}

/** The namespaces of a claim; undefined for anything but a list of valid names. */
function namespacesOf(named: unknown): DebugReader['namespaces'] | undefined {
  if (!Array.isArray(named) || named.length === 0 || named.length > mostNamespaces) return undefined;
  if (named.length === 1 && named[0] === '*') return 'all';
  return named.every((name) => typeof name === 'string' && isNamespace(name)) ? new Set(named) : undefined;
}
