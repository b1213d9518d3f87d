import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import { jsonPathAt } from '../../diagnostics/json-positions.ts';
import type { ApiObject } from '../../kubernetes/resource-type.ts';
import type { JsonObject } from '../../source/document.ts';
import { textOf } from '../registry/cluster/projection.ts';
import type { AdmissionData } from './admission-messages.ts';
import type { AdmissionRequest, Ruling } from './admission-review.ts';
import { examineObject } from './examine-object.ts';
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
    message: errors.map((error) => `${lineOf(error)}${error.hint === undefined ? '' : `; ${error.hint}`}`).join('\n'),
    causes: errors.map(({ field, message, code }) => ({ field, message: `${message} [${code}]` })),
  };
}

interface Found extends Pick<Diagnostic, 'code' | 'message'> {
  /** Such as `spec.rules[0].to`; empty: of the whole object. */
  readonly field: string;
  readonly hint: string | undefined;
}

async function findingsOf(
  object: JsonObject,
  { kind, namespace }: Pick<AdmissionRequest, 'kind' | 'namespace'>,
  reading: Pick<AdmissionData, 'skipsGatewayApi'>,
): Promise<{ readonly errors: readonly Found[]; readonly warnings: readonly Found[] }> {
  const type = { ...kind, resource: '', isNamespaced: namespace !== undefined };
  const text = textOf(named(object, namespace), type);
  const bag = new DiagnosticBag();
  await examineObject(text, bag, reading);
  const of = (severity: Diagnostic['severity']): Found[] => {
    return bag.all
      .filter((diagnostic) => diagnostic.severity === severity)
      .map(({ code, message, hint, span }) => {
        return { code, message, hint, field: span === undefined ? '' : formatPath(jsonPathAt(text, span.start)) };
      });
  };
  return { errors: of('error'), warnings: of('warning') };
}

/** An object that asks for a name has none before it is stored; a server gives it one of this form. */
function named(object: JsonObject, namespace: string | undefined): ApiObject {
  const { metadata, ...rest } = object as unknown as ApiObject;
  const { name, generateName } = (metadata ?? {}) as { readonly name?: string; readonly generateName?: string };
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...((name ?? '') === '' && generateName !== undefined && { name: `${generateName.slice(0, 58)}xxxxx` }),
      ...(namespace !== undefined && { namespace }),
    } as ApiObject['metadata'],
  };
}

function isTrial({ metadata }: JsonObject, revision: string): boolean {
  const { annotations } = (metadata ?? {}) as { readonly annotations?: Readonly<Record<string, string>> };
  return annotations?.[trialAnnotation] === revision;
}

function isBeingDeleted({ metadata }: JsonObject): boolean {
  return typeof (metadata as JsonObject | undefined)?.deletionTimestamp === 'string';
}

function isSameButMetadata(now: JsonObject, before: JsonObject): boolean {
  const text = ({ metadata: _, status: __, ...rest }: JsonObject): string => JSON.stringify(rest);
  return text(now) === text(before);
}

function lineOf({ field, message, code }: Found): string {
  return `${field && `${field}: `}${message} [${code}]`;
}
