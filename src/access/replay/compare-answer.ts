import { isDetailsOf } from '../evaluate/answer.ts';
import type { Outcome } from '../outcome.ts';
import type { LoggedRequest } from './logged-request.ts';

/** Whether a prediction has the answer that a line of the log has; undefined where there is no prediction. */
export function isAsLogged(outcomes: readonly Outcome[], logged: LoggedRequest): boolean | undefined {
  if (outcomes.some(({ kind }) => kind === 'unmodelled')) return undefined;
  return outcomes.some((outcome) => isSame(outcome, logged));
}

function isSame(outcome: Outcome, { status = 0, details, protocol, lacked }: LoggedRequest): boolean {
  switch (outcome.kind) {
    case 'reaches':
      return protocol === 'bytes' ? details === undefined && lacked === undefined : details === 'via_upstream';
    // A client's proxy has its server's answer from upstream.
    case 'answered':
      return status === outcome.status && (isDetailsOf(details, outcome.details) || details === 'via_upstream');
    case 'closed':
      return status === 0 && (details === undefined || details === outcome.details);
    case 'reset':
      return status === 0;
    case 'unmodelled':
      return false;
  }
}
