import type { RouteTable } from '../lift/route.ts';
import type { Choose } from './choices.ts';
import type { TokenJudge } from './token-judge.ts';

/** Answer of an external authorizer; `away`: it does not answer. */
export type AuthorizerAnswer = 'allow' | 'deny' | 'away';

/** What a prediction needs besides the listener. */
export interface Surroundings {
  /** Route tables by name. */
  readonly routes: ReadonlyMap<string, RouteTable>;
  readonly tokens: TokenJudge;
  readonly choose: Choose;
  /** What every external authorizer answers; absent: each answer is a way of its own. */
  readonly authorizer?: AuthorizerAnswer | undefined;
}
