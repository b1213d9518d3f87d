import type { Fragment } from '../../envoy/api/fragment.ts';
import type { AccessRule, AccessRules } from '../lift/rbac.ts';
import type { RouteTable } from '../lift/route.ts';
import type { Connection } from '../request.ts';
import type { Blanks } from './blanks.ts';
import type { Choose } from './choices.ts';
import type { RequestView } from './request-view.ts';
import type { TokenJudge } from './token-judge.ts';

/** Answer of an external authorizer; `away`: it does not answer. */
export type AuthorizerAnswer = 'allow' | 'deny' | 'away';

/** What a token filter made of a request. */
export type TokenState = 'absent' | 'valid' | 'invalid';

/** Is told what one proxy looks at, when it does. What it is given changes afterwards. */
export interface Observer {
  /** The chain that takes the connection; where none does, those that would have taken other bytes of it. */
  connection(listener: string, chains: readonly Fragment[], connection: Connection): void;
  /** Rules that were judged, and the one that matched. */
  rules(judged: AccessRules, matched: AccessRule | undefined, view: RequestView): void;
  /** What has passed all filters, before it is sent on. */
  passed(view: RequestView): void;
  /** Tokens, by the providers that have said so of them; of absent ones all say it. */
  tokens(providers: readonly Fragment[], state: TokenState): void;
}

/** What a prediction needs besides the listener. */
export interface Surroundings {
  /** Route tables by name. */
  readonly routes: ReadonlyMap<string, RouteTable>;
  readonly tokens: TokenJudge;
  readonly choose: Choose;
  /** What every external authorizer answers; absent: each answer is a way of its own. */
  readonly authorizer?: AuthorizerAnswer | undefined;
  readonly observer?: Observer | undefined;
  /** What is not known of the request; absent: all is known. */
  readonly blanks?: Blanks | undefined;
}
