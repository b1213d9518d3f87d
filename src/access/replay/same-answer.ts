import type { Way } from '../evaluate/way.ts';
import { keyOf } from '../world.ts';

/** Whether two ways end alike for the client: in the same answer, or at the same workload. Which rule decided does not matter. */
export function sameAnswer(a: Way, b: Way): boolean {
  return answerKey(a) === answerKey(b);
}

function answerKey(way: Way): string {
  const { outcome, target } = way;
  switch (outcome.kind) {
    case 'reaches': {
      // The address of a workload may be made up, and another one in each version.
      const places = outcome.clusters.map((cluster) => (target === undefined ? cluster : cluster.replace(/^.*:/, ':')));
      return `reaches ${target === undefined ? '' : keyOf(target)} ${places.join(' ')}`;
    }
    case 'answered':
      return `answered ${outcome.status} ${outcome.grpcStatus ?? ''} ${routeAnswer(way)}`;
    case 'unmodelled':
      return `unmodelled ${outcome.at}`;
    default:
      return outcome.kind;
  }
}

/** Where a redirect leads, or what a route answers by itself; empty for answers of anything else. */
function routeAnswer({ outcome, legs }: Way): string {
  if (outcome.kind !== 'answered' || outcome.details !== 'direct_response') return '';
  const route = legs.at(-1)?.steps.findLast(({ station }) => station === 'route')?.at;
  return JSON.stringify([route?.at('redirect').value, route?.at('direct_response').value]);
}
