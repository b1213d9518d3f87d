import type { TokenFilter, TokenProvider } from '../lift/jwt.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestView } from './request-view.ts';

/** What is known of a token before a request is judged. */
export interface TokenJudge {
  /** Whether a provider's keys verify the token's signature. */
  verifies(token: string, provider: TokenProvider): boolean;
  /** Seconds since 1970. */
  readonly now: number;
}

/** What the token filter answers; undefined where it lets the request pass, with the claims in the view's metadata. */
export function judgeTokens(filter: TokenFilter, view: RequestView, _judge: TokenJudge): Outcome | undefined {
  const hasToken = filter.providers.some((provider) =>
    provider.headers.some(({ name, prefix }) => view.lines(name).some((line) => line.includes(prefix))),
  );
  return hasToken ? { kind: 'unmodelled', at: 'token' } : undefined;
}
