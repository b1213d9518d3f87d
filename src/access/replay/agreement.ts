import { unknownRefusal } from '../evaluate/assume-tokens.ts';
import type { Way } from '../evaluate/way.ts';
import type { LoggedRequest } from './logged-request.ts';

/** Whether a line can be of a request that went this way from the proxy that wrote it. */
export function agrees({ outcome, legs }: Way, logged: LoggedRequest): boolean {
  const { status = 0, details, protocol, tells, foundNobody } = logged;
  const isOwn = legs.length <= 1;
  switch (outcome.kind) {
    case 'reaches':
      if (foundNobody) return false;
      return protocol === 'bytes' ? !isRefusal(details) : !tells.details || wasSentOn(logged);
    case 'answered':
      if (status !== outcome.status) return false;
      if (!tells.details) return true;
      return isOwn ? hasDetails(details, outcome.details) : hasDetails(details, outcome.details) || wasSentOn(logged);
    case 'closed':
      if (status !== 0) return false;
      // A connection has no words for that.
      if (foundNobody) return outcome.details === 'no_healthy_upstream';
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

function isRefusal(details: string | undefined): boolean {
  return details !== undefined && /^(?:rbac_access_denied|auth_denied|auth_error)/.test(details);
}

/** The reason why a token was refused is not predicted. */
function hasDetails(details: string | undefined, predicted: string): boolean {
  if (predicted === unknownRefusal) return details?.startsWith('jwt_authn_access_denied{') === true;
  return details === predicted;
}
