import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import { type JsonContents, jsonPathAt } from '../../diagnostics/json-positions.ts';
import type { ApiObject } from '../../kubernetes/resource-type.ts';
import type { JsonObject } from '../../source/document.ts';
import { textOf } from '../registry/cluster/projection.ts';
import type { AdmissionData } from './admission-messages.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { examineObject } from './examine-object.ts';

/** What is said of one object by itself, with the field in place of a line. */
export interface Found extends Pick<Diagnostic, 'code' | 'message'> {
  /** Such as `spec.rules[0].to`; empty: of the whole object. */
  readonly field: string;
  readonly hint: string | undefined;
}

/** All that is said of one object. */
export interface Findings {
  readonly errors: readonly Found[];
  readonly warnings: readonly Found[];
}

/** The errors and the warnings of an object, whose request names its kind and namespace. */
export async function findingsOf(
  object: JsonObject,
  { kind, namespace }: Pick<AdmissionRequest, 'kind' | 'namespace'>,
  reading: Pick<AdmissionData, 'skipsGatewayApi'>,
): Promise<Findings> {
  const type = { ...kind, resource: '', isNamespaced: namespace !== undefined };
  const text = textOf(withName(object, namespace), type);
  const bag = new DiagnosticBag();
  await examineObject(text, bag, reading);
  const known: JsonContents = new Map();
  const of = (severity: Diagnostic['severity']): Found[] => {
    return bag.all
      .filter((diagnostic) => diagnostic.severity === severity)
      .map(({ code, message, hint, span }) => {
        return {
          code,
          message,
          hint: withoutFiles(hint),
          field: span === undefined ? '' : formatPath(jsonPathAt(text, span.start, known)),
        };
      });
  };
  return { errors: of('error'), warnings: of('warning') };
}

/** An API server has no files that could be left out. */
function withoutFiles(hint: string | undefined): string | undefined {
  return hint?.replace(/(; or )?leave out the files? .*$/, '') || undefined;
}

/** An object that asks for a name has none before it is stored; a server gives it one of this form. */
function withName(object: JsonObject, namespace: string | undefined): ApiObject {
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

/** Whether an object is only waiting for its finalizers. */
export function isBeingDeleted({ metadata }: JsonObject): boolean {
  return typeof (metadata as JsonObject | undefined)?.deletionTimestamp === 'string';
}

/** Whether two versions of an object mean the same: a label, a finalizer or the status is all that differs. */
export function isSameButMetadata(now: JsonObject, before: JsonObject): boolean {
  const text = ({ metadata: _, status: __, ...rest }: JsonObject): string => JSON.stringify(rest);
  return text(now) === text(before);
}

/** Field, message and code of a finding. */
export function lineOf({ field, message, code }: Found): string {
  return `${field && `${field}: `}${message} [${code}]`;
}

/** That, and what to do. */
export function adviceOf(found: Found): string {
  return `${lineOf(found)}${found.hint === undefined ? '' : `; ${found.hint}`}`;
}
