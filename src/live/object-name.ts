import { statedKind } from '../policy/gateway-api.ts';
import type { JsonObject } from '../source/document.ts';

/** An object as people name it. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const clusterScoped: ReadonlySet<string> = new Set(['Namespace', 'Node', 'GatewayClass']);

/** The name that an object's text gives it; the namespace is empty where objects of the kind have none. */
export function nameOf(object: JsonObject): ObjectName {
  const kind = statedKind(object);
  const metadata = (object.metadata ?? {}) as JsonObject;
  const namespace =
    typeof metadata.namespace === 'string' && metadata.namespace !== '' ? metadata.namespace : 'default';
  return { kind, namespace: clusterScoped.has(kind) ? '' : namespace, name: String(metadata.name ?? '') };
}

/** Kind, namespace and name as one text. */
export function keyOf(object: JsonObject): string {
  const { kind, namespace, name } = nameOf(object);
  return JSON.stringify([kind, namespace, name]);
}

/** `AuthorizationPolicy shop/deny`; at most `most` of them are named, the rest is counted. */
export function formatNames(names: readonly ObjectName[], most = 10): string {
  const named = names.slice(0, most).map(({ kind, namespace, name }) => {
    return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  });
  const more = names.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
