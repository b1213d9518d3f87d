import type { ReadClock } from '../../lib/clock.ts';
import type { AuthenticateAccount } from './account-reader.ts';
import { authenticateReader, onlyBearer, type ReaderAuthentication } from './reader.ts';
import type { TokenKeys } from './token.ts';

/** A debug request, as far as it says who sends it and what about. */
export interface ReaderRequest {
  /** All values of the header `authorization`. */
  readonly authorization: readonly string[];
  /** Of the client. */
  readonly address: string;
  readonly query: URLSearchParams;
}

/** Tells who sends a debug request, and which namespaces it may see. */
export type AuthenticateReader = (request: ReaderRequest) => Promise<ReaderAuthentication>;

export interface ReaderRules {
  /** Of tokens that meshd verifies itself; undefined: there are none. */
  readonly keys: TokenKeys | undefined;
  /** Tokens of service accounts; undefined: there is no cluster. */
  readonly accounts: AuthenticateAccount | undefined;
  readonly clock: ReadClock;
}

/** By our keys first, then by the API server of the cluster; the first that accepts the token counts. */
export function createAuthenticateReader({ keys, accounts, clock }: ReaderRules): AuthenticateReader {
  return async ({ authorization, address, query }) => {
    const token = onlyBearer(authorization);
    if (token === undefined) return { problem: 'there is no bearer token, or more than one' };
    const problems: string[] = [];
    let isOurFault = false;
    const ways = [
      keys && (() => authenticateReader(token, keys, clock)),
      accounts && (() => accounts({ token, address, query })),
    ].filter((way) => way !== undefined);
    for (const authenticate of ways) {
      const shown = await authenticate();
      if (shown.reader !== undefined) return shown;
      problems.push(shown.problem);
      isOurFault ||= shown.isOurFault === true;
    }
    return { problem: problems.join('; '), isOurFault };
  };
}
