import type { GatewayClass } from './gateway-api.ts';

/** Names of the program (`controllerName`) by which Gateways of a class are served here. */
export const ownControllers: ReadonlySet<string> = new Set([
  'mesh.io/gateway-controller',
  'istio.io/gateway-controller',
]);

/** Classes that are served here where there is no object for them, with the name of the program. */
export const ownClasses: ReadonlyMap<string, string> = new Map([
  ['mesh', 'mesh.io/gateway-controller'],
  ['istio', 'istio.io/gateway-controller'],
]);

/** A GatewayClass, and whose Gateways are served by which program. */
export type NamedClass = Pick<GatewayClass, 'name' | 'spec'>;

/** The name (`controllerName`) under which Gateways of a class are served here; undefined: they are not. */
export function ownControllerOf(className: string, classes: readonly NamedClass[]): string | undefined {
  const found = classes.find(({ name }) => name === className);
  if (found === undefined) return ownClasses.get(className);
  const { controllerName } = found.spec;
  return ownControllers.has(controllerName) ? controllerName : undefined;
}
