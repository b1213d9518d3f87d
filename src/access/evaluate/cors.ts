import type { CorsPolicy } from '../lift/route-filters.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestView } from './request-view.ts';

/** A browser's question whether it may send a request from another origin. */
export function isPreflight(view: RequestView): boolean {
  const { blanks, headers } = view;
  if (blanks !== undefined && !(headers.isTold('origin') && headers.isTold('access-control-request-method'))) {
    return view.method === 'OPTIONS' && blanks.ask('the header origin', 'and access-control-request-method are there');
  }
  return view.method === 'OPTIONS' && view.text('origin') !== '' && view.text('access-control-request-method') !== '';
}

/** Envoy's own answer to a preflight; undefined if the request goes on. */
export function answerPreflight(policy: CorsPolicy | undefined, view: RequestView): Outcome | undefined {
  if (policy === undefined || !isPreflight(view)) return undefined;
  if (policy.forwardsOthers && !isAllowed(policy, view)) return undefined;
  return { kind: 'answered', status: 200, details: 'cors_response' };
}

function isAllowed({ origins }: CorsPolicy, view: RequestView): boolean {
  if (origins.some(({ value }) => value === '*')) return true;
  if (view.blanks === undefined || view.headers.isTold('origin')) {
    return origins.some((origin) => origin.matches(view.text('origin')));
  }
  const wanted = origins.map(({ kind, value }) => `${kind} ${value}`).sort();
  return view.blanks.ask('the header origin', `is one of ${JSON.stringify(wanted)}`);
}
