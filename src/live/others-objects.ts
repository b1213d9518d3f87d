import { type GatewayClass, type StandardGateway, standardGatewayKind, standardGroup } from '../policy/gateway-api.ts';
import { ownClasses, ownControllerOf, ownControllers } from '../policy/gateway-controllers.ts';
import type { MeshObject } from '../policy/object.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import type { Fault } from './last-valid.ts';
import { nameOf } from './object-name.ts';

type Objects = readonly MeshObject<string>[];

/**
 * Whether an invalid object is beyond doubt one of the Gateway API that another program serves, by the objects in force: it may
 * have fields that are not supported here, and concerns no proxy. A route whose Gateway is not there is served by nobody.
 */
export function isForOthers({ texts }: Pick<Fault, 'texts'>, objects: Objects): boolean {
  return texts.length > 0 && texts.every((text) => isTextForOthers(text, objects));
}

function isTextForOthers(text: JsonObject, objects: Objects): boolean {
  if (!String(text.apiVersion).startsWith(`${standardGroup}/`)) return false;
  const spec = isRecord(text.spec) ? text.spec : {};
  const { namespace, name } = nameOf(text);
  switch (text.kind) {
    case 'GatewayClass':
      return !ownClasses.has(name) && isText(spec.controllerName) && !ownControllers.has(spec.controllerName);
    case 'Gateway':
      return isClassForOthers(spec.gatewayClassName, objects);
    case 'HTTPRoute':
    case 'GRPCRoute':
    case 'TLSRoute': {
      const { parentRefs: parents } = spec;
      return Array.isArray(parents) && parents.every((parent) => isParentForOthers(parent, namespace, objects));
    }
    default:
      return false;
  }
}

function isClassForOthers(name: JsonValue | undefined, objects: Objects): boolean {
  if (!isText(name)) return false;
  const classes = objects.filter((object): object is GatewayClass => object.kind === 'GatewayClass');
  return ownControllerOf(name, classes) === undefined;
}

function isParentForOthers(parent: JsonValue, own: string, objects: Objects): boolean {
  if (!isRecord(parent)) return false;
  const { group = standardGroup, kind = 'Gateway', namespace = own, name } = parent;
  if (group !== standardGroup || kind !== 'Gateway' || !isText(namespace) || !isText(name)) return false;
  const found = objects.find(
    (object) => object.kind === standardGatewayKind && object.namespace === namespace && object.name === name,
  );
  return found === undefined || isClassForOthers((found as StandardGateway).spec.gatewayClassName, objects);
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
