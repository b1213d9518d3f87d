import { isDetailsOf, unansweredDetails } from '../evaluate/answer.ts';
import { unknownRefusal } from '../evaluate/assume-tokens.ts';
import type { Way } from '../evaluate/way.ts';
import { notHttp } from '../outcome.ts';
import { detailsOfNobody } from './lacked-part.ts';
import type { LoggedRequest } from './logged-request.ts';

/** Whether a line can be of a request that went this way from the proxy that wrote it. */
export function agrees({ outcome, legs }: Way, logged: LoggedRequest): boolean {
  const { status = 0, details, protocol, tells, lacked } = logged;
  const isOwn = legs.length <= 1;
  switch (outcome.kind) {
    case 'reaches':
      if (lacked !== undefined) return false;
      return protocol === 'bytes' ? !isRefusal(details) : !tells.details || wasSentOn(logged);
    case 'answered':
      if (status !== outcome.status) return false;
      if (lacked === 'connection' && outcome.details !== unansweredDetails) return false;
      if (lacked === 'server' && !detailsOfNobody.has(outcome.details)) return false;
      if (!tells.details) return true;
      return isOwn ? hasDetails(details, outcome.details) : hasDetails(details, outcome.details) || wasSentOn(logged);
    case 'closed':
      if (status !== 0) return false;
      // A connection has no words for that.
      if (lacked === 'server') return detailsOfNobody.has(outcome.details);
      if (lacked === 'connection') return !wasOpen(outcome.details) && !(isOwn && isUntaken(legs));
      if (lacked === 'way') return isOwn && isUntaken(legs);
      return !tells.details || details === outcome.details || (!isOwn && !isRefusal(details));
    case 'reset':
      return status === 0 && (!tells.details || details === outcome.details);
    case 'unmodelled':
      return false;
  }
}

/** The router has found a server: the answer is its own, or tells what became of the connection to it. */
function wasSentOn({ details = '', upstreamHost }: LoggedRequest): boolean {
  return upstreamHost !== undefined || /^(?:via_upstream|upstream_)/.test(details);
}

/** No filter chain of a proxy takes the connection. */
function isUntaken(legs: Way['legs']): boolean {
  return legs.every(({ steps }) => steps.every(({ station, decider }) => station === 'chain' && decider === ''));
}

/** Ends of a connection to a proxy that had taken it, so that it had not failed for the one before. */
function wasOpen(details: string): boolean {
  return isRefusal(details) || details === notHttp || detailsOfNobody.has(details);
}

function isRefusal(details: string | undefined): boolean {
  return details !== undefined && /^(?:rbac_access_denied|auth_denied|auth_error)/.test(details);
}

/** The reason why a token was refused is not predicted. */
function hasDetails(details: string | undefined, predicted: string): boolean {
  if (predicted === unknownRefusal) return details?.startsWith('jwt_authn_access_denied{') === true;
  return isDetailsOf(details, predicted);
}
