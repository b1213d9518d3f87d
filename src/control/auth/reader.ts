import type { ReadClock } from '../../lib/clock.ts';
import { isNamespace } from './caller.ts';
import { type TokenKeys, verifyToken } from './token.ts';

/** Who may ask for the state of the distribution, and of which namespaces. */
export interface DebugReader {
  /** `sub` of the token; for the log. */
  readonly subject: string;
  readonly namespaces: ReadonlySet<string> | 'all';
}

/** A reader, or why there is none: for the log, and without the token. */
export type ReaderAuthentication =
  | { readonly reader: DebugReader; readonly problem?: never }
  | { readonly problem: string; readonly isOurFault?: boolean; readonly reader?: never };

/** The audience that a token of a reader is for: one for the certificate authority opens nothing here, nor this one there. */
export const debugAudience = 'mesh-debug';
/** The claim that names a reader's namespaces; `["*"]` names all. */
export const debugClaim = 'debug_namespaces';

/** More namespaces than these are no claim of a person. */
const mostNamespaces = 1_000;
const longestSubject = 200;

/** Reads the header `authorization`, each time it came: one bearer token of the issuer, which names namespaces. */
export async function authenticateReader(
  authorization: readonly string[],
  source: TokenKeys,
  clock: ReadClock,
): Promise<ReaderAuthentication> {
  const [header = ''] = authorization;
  const [, token] = /^bearer +(\S+)$/i.exec(header.trim()) ?? [];
  if (authorization.length !== 1 || token === undefined)
    return { problem: 'there is no bearer token, or more than one' };
  const verified = await verifyToken(token, { source, audiences: [debugAudience], isFirstParty: false, clock });
  if (verified.claims === undefined) return verified;
  const { sub, [debugClaim]: named } = verified.claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject)
    return { problem: 'the token has no subject' };
  const namespaces = namespacesOf(named);
  if (namespaces === undefined) return { problem: `the claim "${debugClaim}" of the token is no list of namespaces` };
  return { reader: { subject: sub, namespaces } };
}

/** Undefined for whatever is not wholly a list of names: nothing of it is guessed. */
function namespacesOf(named: unknown): DebugReader['namespaces'] | undefined {
  if (!Array.isArray(named) || named.length === 0 || named.length > mostNamespaces) return undefined;
  if (named.length === 1 && named[0] === '*') return 'all';
  return named.every((name) => typeof name === 'string' && isNamespace(name)) ? new Set(named) : undefined;
}
