import type { CorsPolicy } from '../lift/route-filters.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestView } from './request-view.ts';

/** A browser's question whether it may send a request from another origin. */
export function isPreflight(view: RequestView): boolean {
  return view.method === 'OPTIONS' && view.text('origin') !== '' && view.text('access-control-request-method') !== '';
}

/** Envoy's own answer to a preflight; undefined if the request goes on. */
export function answerPreflight(policy: CorsPolicy | undefined, view: RequestView): Outcome | undefined {
  if (policy === undefined || !isPreflight(view)) return undefined;
  const isAllowed = policy.origins.some((origin) => origin.value === '*' || origin.matches(view.text('origin')));
  if (!isAllowed && policy.forwardsOthers) return undefined;
  return { kind: 'answered', status: 200, details: 'cors_response' };
}
