import type { Authorizer } from '../lift/authorizer.ts';
import { metadataHolds } from './conditions.ts';
import type { RequestView } from './request-view.ts';
import type { AuthorizerAnswer, Surroundings } from './surroundings.ts';

/** What an external authorizer answers; undefined if it is not asked. One that is away and may be so counts as `allow`. */
export function askAuthorizer(
  { name, condition, allowsWhenAway }: Authorizer,
  view: RequestView,
  { choose, authorizer }: Surroundings,
): AuthorizerAnswer | undefined {
  if (condition !== undefined && !metadataHolds(condition, view.metadata)) return undefined;
  const answer = authorizer ?? choose<AuthorizerAnswer>('authorizer', name, ['allow', 'deny', 'away']);
  return answer === 'away' && allowsWhenAway ? 'allow' : answer;
}
