import type { Outcome } from '../../access/outcome.ts';
import type { Question, Verdict } from './verdict.ts';

/** Whether an outcome is what the oracle means: verdict, status, and which access rule decides. */
export function agrees(question: Question, meant: Verdict, outcome: Outcome): boolean {
  switch (meant.kind) {
    case 'unsaid':
      return true;
    case 'reaches':
      return outcome.kind === 'reaches';
    case 'closed':
      return isRead(question) ? outcome.kind === 'answered' && outcome.status === 503 : outcome.kind === 'closed';
    case 'refused': {
      if (outcome.kind !== 'answered' || !meant.statuses.includes(outcome.status)) return false;
      const names = meant.rules?.map((rule) => `rbac_access_denied_matched_policy[${rule}]`);
      return names === undefined || names.includes(outcome.details);
    }
  }
}

/** Whether a proxy on the client's side reads the request, so that it answers where the connection to the server ends. */
function isRead({ client, service, request }: Question): boolean {
  return client.kind === 'pod' && client.pod.hasSidecar && service !== undefined && request !== undefined;
}
