import type { PlainLog } from '../../lib/log.ts';
import type { AdmissionEvent } from './answer-review.ts';

/** Tells the log what became of an object. */
export function logAdmission(log: Pick<PlainLog, 'error' | 'info' | 'debug'>, event: AdmissionEvent): void {
  const { outcome, isAllowed, ...fields } = event;
  if (outcome === 'failed' && isAllowed) log.error('an object could not be examined, and is admitted', fields);
  else if (outcome === 'failed') log.error('an object could not be judged, and is refused', fields);
  else if (outcome === 'refused') log.info('an object is refused', fields);
  else log.debug(`an object is ${outcome}`, fields);
}
