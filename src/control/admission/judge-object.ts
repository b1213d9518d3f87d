import type { JsonObject } from '../../source/document.ts';
import type { AdmissionData } from './admission-messages.ts';
import type { AdmissionRequest, Ruling } from './admission-review.ts';
import { adviceOf, findingsOf, isBeingDeleted, isSameButMetadata, lineOf } from './findings.ts';
import { trialAnnotation, trialAnswer } from './trial-annotation.ts';

/**
 * Whether an object may be stored: whatever `meshpol` says of it by itself, without the rest of its mesh, is said here too.
 * A deletion may always be. So may a change of an invalid object that changes metadata alone and brings no other error: who
 * takes a finalizer or a label away has not made the mistake. The control plane of `revision` may be on trial.
 */
export async function judgeObject(
  { object, oldObject, ...request }: AdmissionRequest,
  { revision, skipsGatewayApi }: AdmissionData,
): Promise<Ruling> {
  if (request.operation === 'DELETE' || object === undefined) return { isAllowed: true };
  if (isTrial(object, revision)) return { isAllowed: false, message: trialAnswer(revision) };
  const reading = { skipsGatewayApi };
  const { errors, warnings } = await findingsOf(object, request, reading);
  const said = warnings.map(lineOf);
  if (errors.length === 0) return { isAllowed: true, warnings: said };
  const lines = errors.map(lineOf);
  if (oldObject !== undefined && (isBeingDeleted(object) || isSameButMetadata(object, oldObject))) {
    const before = new Set((await findingsOf(oldObject, request, reading)).errors.map(lineOf));
    if (isBeingDeleted(object) || lines.every((line) => before.has(line))) {
      return { isAllowed: true, warnings: [...lines.map((line) => `invalid as before: ${line}`), ...said] };
    }
  }
  return {
    isAllowed: false,
    warnings: said,
    message: errors.map(adviceOf).join('\n'),
    causes: errors.map(({ field, message, code }) => ({ field, message: `${message} [${code}]` })),
  };
}

function isTrial({ metadata }: JsonObject, revision: string): boolean {
  const { annotations } = (metadata ?? {}) as { readonly annotations?: Readonly<Record<string, string>> };
  return annotations?.[trialAnnotation] === revision;
}
