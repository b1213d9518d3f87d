import type { RouteTable } from '../lift/route.ts';
import type { TokenJudge } from './tokens.ts';

/** What a prediction needs besides the listener. */
export interface Surroundings {
  /** Route tables by name. */
  readonly routes: ReadonlyMap<string, RouteTable>;
  readonly tokens: TokenJudge;
}
