import { unknownRefusal } from '../evaluate/assume-tokens.ts';
import type { Way } from '../evaluate/way.ts';
import type { LoggedRequest } from './logged-request.ts';

/** Whether a line can be of a request that went this way from the proxy that wrote it. */
export function agrees({ outcome, legs }: Way, logged: LoggedRequest): boolean {
  const { status = 0, details, protocol, tells } = logged;
  const isOwn = legs.length <= 1;
  switch (outcome.kind) {
    case 'reaches':
      return protocol === 'bytes' ? !isRefusal(details) : !tells.details || wasSentOn(logged);
    case 'answered':
      if (status !== outcome.status) return false;
      if (!tells.details) return true;
      return isOwn ? hasDetails(details, outcome.details) : hasDetails(details, outcome.details) || wasSentOn(logged);
    case 'closed':
      if (status !== 0) return false;
      return !tells.details || details === outcome.details || (!isOwn && !isRefusal(details));
    case 'reset':
      return status === 0 && (!tells.details || details === outcome.details);
    case 'unmodelled':
      return false;
  }
}

/** The router has taken the request: the answer is that of the upstream, or tells why there is none. */
function wasSentOn({ details = '', upstreamHost }: LoggedRequest): boolean {
  return (
    upstreamHost !== undefined || /^(?:via_upstream|upstream_|no_healthy_upstream|cluster_not_found)/.test(details)
  );
}

function isRefusal(details: string | undefined): boolean {
  return details !== undefined && /^(?:rbac_access_denied|auth_denied|auth_error)/.test(details);
}

/** The reason why a token was refused is not predicted. */
function hasDetails(details: string | undefined, predicted: string): boolean {
  if (predicted === unknownRefusal) return details?.startsWith('jwt_authn_access_denied{') === true;
  return details === predicted;
}
