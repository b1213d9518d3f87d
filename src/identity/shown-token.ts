import { ExchangeError } from '../sts/token-manager.ts';
import { AuthorityError, type AuthorityOptions } from './authority.ts';
import type { TokenAnswer } from './token.ts';

/**
 * What the CA is shown: the workload's token, or what it is exchanged for when PLUGINS says so. A workload's token
 * that cannot be exchanged is never shown itself: it is meant for somebody else. Throws `AuthorityError`.
 */
export async function shownToken(
  { exchangeToken, provisionedFolder }: Pick<AuthorityOptions, 'exchangeToken' | 'provisionedFolder'>,
  own: TokenAnswer | undefined,
  limits: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<TokenAnswer | undefined> {
  if (own?.token === undefined || exchangeToken === undefined) return own;
  try {
    return { token: await exchangeToken(own.token, limits) };
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const problem = `the token is not exchanged: ${error.message}`;
    // The pair of PROV_CERT may be enough.
    if (provisionedFolder !== undefined) return { problem };
    throw new AuthorityError(problem, error.fault === 'refused' ? 'credential' : 'soon', { cause: error });
  }
}
