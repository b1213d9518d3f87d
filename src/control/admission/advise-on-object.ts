import { isTextForOthers, type ServingNames, type ServingObjects, servingNamesOf } from '../../live/others-objects.ts';
import type { JsonObject } from '../../source/document.ts';
import type { AdmissionData } from './admission-messages.ts';
import type { AdmissionRequest, Ruling } from './admission-review.ts';
import { adviceOf, findingsOf, isBeingDeleted } from './findings.ts';

/** What has to be known before there is a ruling. */
export interface MissingObjects {
  readonly missing: ServingNames;
}

/**
 * What is said of an object of the Gateway API, which is never refused: another program may serve it, and with fields that
 * are unknown here. Findings are warnings, where `meshd` would report the object; for that it must be known who serves it, and
 * nobody is asked about an object without findings.
 */
export async function adviseOnObject(
  { object, ...request }: AdmissionRequest,
  { skipsGatewayApi = false }: Pick<AdmissionData, 'skipsGatewayApi'>,
  serving: ServingObjects | 'unknown' | undefined,
): Promise<Ruling | MissingObjects> {
  if (skipsGatewayApi || object === undefined || isBeingDeleted(object)) return { isAllowed: true };
  const { errors, warnings } = await findingsOf(object, request, {});
  if (errors.length === 0 && warnings.length === 0) return { isAllowed: true };
  const placed = inNamespace(object, request.namespace);
  if (serving === undefined) return { missing: servingNamesOf(placed) };
  if (serving === 'unknown' || isTextForOthers(placed, serving)) return { isAllowed: true };
  const lines = errors.map((error) => `not valid in the mesh: ${adviceOf(error)}`);
  return { isAllowed: true, warnings: [...lines, ...warnings.map(adviceOf)] };
}

/** An object that is created may leave its namespace to the request. */
function inNamespace(object: JsonObject, namespace: string | undefined): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...(namespace !== undefined && { namespace }) } };
}
