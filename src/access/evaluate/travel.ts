import type { World } from '../world.ts';
import type { AccessRequest } from './access-request.ts';
import type { Blanks } from './blanks.ts';
import { type Choose, everyWay } from './choices.ts';
import { Journey } from './journey.ts';
import type { TokenJudge } from './token-judge.ts';
import type { ObserveProxy, Way } from './way.ts';

/** Every way that a request may take: several if weights, a choice of endpoints or something outside of the mesh decide. */
export function travel(
  world: World,
  access: AccessRequest,
  tokens: TokenJudge,
  observe?: ObserveProxy,
): readonly Way[] {
  return everyWay((choose) => new Journey(world, access, tokens, choose, observe).start()).map(
    ({ result, because }) => {
      if (because.length === 0) return result;
      // An endpoint is told by the target.
      const told = because.filter(({ kind }) => kind !== 'endpoint');
      return told.length === 0 ? result : { ...result, because: told };
    },
  );
}

/** The one way that these answers lead. */
export function travelOnce(
  world: World,
  access: AccessRequest,
  tokens: TokenJudge,
  { choose, blanks }: { readonly choose: Choose; readonly blanks: Blanks },
): Way {
  return new Journey(world, access, tokens, choose, undefined, blanks).start();
}
