import { aliases, groupAlias } from '../policy/alias.ts';
import { type StandardGateway, standardGatewayKind, standardGroup } from '../policy/gateway-api.ts';
import { type NamedClass, ownClasses, ownControllerOf, ownControllers } from '../policy/gateway-controllers.ts';
import type { MeshObject } from '../policy/object.ts';
import { isDnsLabel, isDnsSubdomain } from '../schema/names.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import type { Fault } from './last-valid.ts';
import { nameOf } from './object-name.ts';

type Objects = readonly MeshObject<string>[];

const ownGroups: ReadonlySet<string> = new Set(Object.values(aliases.groups));

/** The GatewayClasses and Gateways by which it is known who serves an object of the Gateway API. */
export interface ServingObjects {
  readonly classes: readonly NamedClass[];
  readonly gateways: readonly NamedGateway[];
}

/** A Gateway, and whose it is. */
export interface NamedGateway extends Pick<StandardGateway, 'namespace' | 'name'> {
  readonly spec: Pick<StandardGateway['spec'], 'gatewayClassName'>;
}

/**
 * Whether an invalid object is beyond doubt one of the Gateway API that another program serves, by the objects in force: it may
 * have fields that are not supported here, and concerns no proxy. A route whose Gateway is not there is served by nobody.
 */
export function isForOthers({ texts }: Pick<Fault, 'texts'>, objects: Objects): boolean {
  if (texts.length === 0 || !texts.every(isOfStandard)) return false;
  const serving = servingObjectsOf(objects);
  return texts.every((text) => isTextForOthers(text, serving));
}

function servingObjectsOf(objects: Objects): ServingObjects {
  return {
    classes: objects.filter((object): object is MeshObject<string> & NamedClass => object.kind === 'GatewayClass'),
    gateways: objects.filter(
      (object): object is MeshObject<string> & NamedGateway => object.kind === standardGatewayKind,
    ),
  };
}

/** The same of the text of an object. */
export function isTextForOthers(text: JsonObject, serving: ServingObjects): boolean {
  if (!isOfStandard(text)) return false;
  const spec = isRecord(text.spec) ? text.spec : {};
  const { namespace, name } = nameOf(text);
  switch (text.kind) {
    case 'GatewayClass':
      return !ownClasses.has(name) && isText(spec.controllerName) && !ownControllers.has(spec.controllerName);
    case 'Gateway':
      return isClassForOthers(spec.gatewayClassName, serving);
    case 'HTTPRoute':
    case 'GRPCRoute':
    case 'TLSRoute': {
      const { parentRefs: parents } = spec;
      return Array.isArray(parents) && parents.every((parent) => isParentForOthers(parent, namespace, serving));
    }
    default:
      return false;
  }
}

function isOfStandard({ apiVersion }: JsonObject): boolean {
  return String(apiVersion).startsWith(`${standardGroup}/`);
}

/** The names of all objects that decide who serves the object of a text, as far as it says them. */
export interface ServingNames {
  readonly classes: readonly string[];
  readonly gateways: readonly Pick<NamedGateway, 'namespace' | 'name'>[];
}

/**
 * By which GatewayClass, or which Gateways and their classes, it is known who serves an object; each once. Names that Kubernetes
 * would not accept are left out: no object has them, and the text is not trusted.
 */
export function servingNamesOf(text: JsonObject): ServingNames {
  const { gatewayClassName, parentRefs } = isRecord(text.spec) ? text.spec : ({} as JsonObject);
  if (!isOfStandard(text)) return { classes: [], gateways: [] };
  if (text.kind === 'Gateway') {
    const isName = isText(gatewayClassName) && isDnsSubdomain(gatewayClassName);
    return { classes: isName ? [gatewayClassName] : [], gateways: [] };
  }
  const { namespace } = nameOf(text);
  const parents = Array.isArray(parentRefs) ? parentRefs : [];
  const named = parents
    .flatMap((parent) => gatewayOf(parent, namespace) ?? [])
    .filter((gateway) => isDnsLabel(gateway.namespace) && isDnsSubdomain(gateway.name));
  const each = new Map(named.map((gateway) => [`${gateway.namespace}/${gateway.name}`, gateway]));
  return { classes: [], gateways: [...each.values()] };
}

/**
 * Whether a route has Services as parents, and otherwise only parents that other programs serve. Such a route is for clients in
 * a mesh, which may be another one; here it has no effect.
 */
export function isForServicesAlone(text: JsonObject, serving: ServingObjects): boolean {
  const { parentRefs: parents } = isRecord(text.spec) ? text.spec : ({} as JsonObject);
  const { namespace } = nameOf(text);
  const isOther = (parent: JsonValue) => isOfService(parent) || isParentForOthers(parent, namespace, serving);
  return Array.isArray(parents) && parents.some(isOfService) && parents.every(isOther);
}

function isOfService(parent: JsonValue): boolean {
  return isRecord(parent) && parent.group === '' && parent.kind === 'Service';
}

function isClassForOthers(name: JsonValue | undefined, { classes }: ServingObjects): boolean {
  return isText(name) && ownControllerOf(name, classes) === undefined;
}

function isParentForOthers(parent: JsonValue, own: string, serving: ServingObjects): boolean {
  if (isOfOtherGroup(parent)) return true;
  const named = gatewayOf(parent, own);
  if (named === undefined) return false;
  const found = serving.gateways.find(({ namespace, name }) => namespace === named.namespace && name === named.name);
  return found === undefined || isClassForOthers(found.spec.gatewayClassName, serving);
}

/** Whether a reference of a route names what only another program knows, such as a Server of policy.linkerd.io; a mistake is none. */
function isOfOtherGroup(parent: JsonValue): boolean {
  if (!isRecord(parent) || !isText(parent.group) || !isDnsSubdomain(parent.group)) return false;
  return parent.group !== standardGroup && !ownGroups.has(groupAlias(parent.group));
}

/** The Gateway that a reference of a route in a namespace names; undefined: none. */
function gatewayOf(parent: JsonValue, own: string): ServingNames['gateways'][number] | undefined {
  if (!isRecord(parent)) return undefined;
  const { group = standardGroup, kind = 'Gateway', namespace = own, name } = parent;
  if (group !== standardGroup || kind !== 'Gateway' || !isText(namespace) || !isText(name)) return undefined;
  return { namespace, name };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
