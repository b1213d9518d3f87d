import { contentVersion, type DiscoveryResource, type DiscoveryType } from './resource.ts';
import type { PushStep } from './scope.ts';
import { readStringFields, stringFields } from './string-fields.ts';

/** A name of the mesh, as a service gives it, for an agent that answers DNS. */
export interface NameEntry {
  /** Small letters, no dot at the end; the first label may be `*`. */
  readonly name: string;
  readonly namespace: string;
  readonly addresses: readonly string[];
  /** The name that it is another name for. */
  readonly target?: string;
  readonly isOfCluster: boolean;
  readonly createdAt: number;
}

/**
 * A type of our own, of which no Envoy asks: `message Name { string key = 1; string name = 2; string namespace = 3;
 * repeated string addresses = 4; string target = 5; string kind = 6; string created_at = 7; }`. One resource, with the key
 * `suffixes`, has no name, but as `repeated string suffixes = 8` the suffixes of names that the mesh alone has.
 */
export const nameType: DiscoveryType = {
  typeUrl: 'type.googleapis.com/mesh.discovery.v1.Name',
  hasWildcard: true,
  isConfiguration: true,
};

/** Names wait for nothing, and nothing waits for them. */
export const nameStep: PushStep = { typeUrl: nameType.typeUrl, removes: true, waits: false };

/** Every other key has a slash. */
export const suffixesKey = 'suffixes';

/** A name as a resource; the key tells it from names of other services. */
export function nameResource(key: string, entry: NameEntry): DiscoveryResource {
  const { name, namespace, addresses, target, isOfCluster, createdAt } = entry;
  return resourceOf(key, [
    [2, name],
    [3, namespace],
    ...addresses.map((address) => [4, address] as const),
    ...(target === undefined ? [] : [[5, target] as const]),
    ...(isOfCluster ? [[6, 'Service'] as const] : []),
    [7, String(createdAt)],
  ]);
}

/** The suffixes of names that the mesh alone has. */
export function suffixesResource(suffixes: readonly string[]): DiscoveryResource {
  return resourceOf(
    suffixesKey,
    suffixes.map((suffix) => [8, suffix] as const),
  );
}

/** What a resource says; undefined: these bytes are no name. */
export function readName(body: Uint8Array): NameEntry | undefined {
  const fields = readStringFields(body);
  const [name, namespace] = [fields?.get(2)?.at(-1), fields?.get(3)?.at(-1)];
  if (fields === undefined || name === undefined || name === '' || namespace === undefined) return undefined;
  const target = fields.get(5)?.at(-1);
  return {
    ...{ name, namespace, addresses: fields.get(4) ?? [], isOfCluster: fields.has(6) },
    ...(target !== undefined && { target }),
    createdAt: Number(fields.get(7)?.at(-1) ?? 0),
  };
}

/** The suffixes that a resource names; undefined: these bytes name none. */
export function readSuffixes(body: Uint8Array): readonly string[] | undefined {
  return readStringFields(body)?.get(8);
}

function resourceOf(key: string, fields: readonly (readonly [number, string])[]): DiscoveryResource {
  const body = stringFields([[1, key], ...fields]);
  return { name: key, version: contentVersion(body.toString('latin1')), body };
}
