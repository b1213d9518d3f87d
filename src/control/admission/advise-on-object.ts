import {
  isForServicesAlone,
  isTextForOthers,
  type ServingNames,
  type ServingObjects,
  servingNamesOf,
} from '../../live/others-objects.ts';
import type { JsonObject } from '../../source/document.ts';
import type { AdmissionData } from './admission-messages.ts';
import type { AdmissionRequest, Ruling } from './admission-review.ts';
import { adviceOf, type Findings, type Found, findingsOf, isBeingDeleted, isSameButMetadata } from './findings.ts';

/** What has to be known before there is a ruling, and what was found by then. */
export interface MissingObjects {
  readonly missing: ServingNames;
  readonly findings: Findings;
}

/** What is known of an object from an earlier question. */
export interface KnownOfObject {
  readonly serving?: ServingObjects | 'unknown' | undefined;
  readonly findings?: Findings | undefined;
}

/** Whether nothing is said of an object, which need not be examined then: nothing of it is new, or nobody reads it. */
export function isUnadvised(
  { object, oldObject }: AdmissionRequest,
  { skipsGatewayApi = false }: Pick<AdmissionData, 'skipsGatewayApi'>,
): boolean {
  if (skipsGatewayApi || object === undefined || isBeingDeleted(object)) return true;
  return oldObject !== undefined && isSameButMetadata(object, oldObject);
}

/**
 * What is said of an object of the Gateway API, which is never refused: another program may serve it, and with fields that
 * are unknown here. Findings are warnings, where `meshd` would report the object; for that it must be known who serves it, and
 * nobody is asked about an object without findings.
 */
export async function adviseOnObject(
  request: AdmissionRequest,
  data: Pick<AdmissionData, 'skipsGatewayApi'>,
  { serving, findings: known }: KnownOfObject,
): Promise<Ruling | MissingObjects> {
  const { object, namespace } = request;
  if (serving === 'unknown' || object === undefined || isUnadvised(request, data)) return { isAllowed: true };
  const findings = known ?? (await findingsOf(object, request, {}));
  if (findings.errors.length === 0 && findings.warnings.length === 0) return { isAllowed: true };
  const placed = inNamespace(object, namespace);
  if (serving === undefined) return { missing: servingNamesOf(placed), findings };
  if (isTextForOthers(placed, serving)) return { isAllowed: true };
  const isSaid = isForServicesAlone(placed, serving) ? isOfParents : () => true;
  const lines = findings.errors.filter(isSaid).map((error) => `not valid in the mesh: ${adviceOf(error)}`);
  return { isAllowed: true, warnings: [...lines, ...findings.warnings.filter(isSaid).map(adviceOf)] };
}

function isOfParents({ field }: Found): boolean {
  return field.startsWith('spec.parentRefs');
}

/** An object that is created may leave its namespace to the request. */
function inNamespace(object: JsonObject, namespace: string | undefined): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...(namespace !== undefined && { namespace }) } };
}
