import { without } from '../../lib/without.ts';
import type { JsonObject } from '../../source/document.ts';
import { contentVersion } from '../../xds/resource.ts';

/** Changes of the mesh's objects since the previous snapshot. */
export interface ObjectChanges {
  /** Nothing is known of a snapshot before: objects that are not named here are gone. */
  readonly isWhole: boolean;
  /** `<kind>/<namespace>/<name>`, without a namespace `<kind>/<name>`, and the version. */
  readonly changed: readonly (readonly [key: string, version: string])[];
  readonly removed: readonly string[];
}

/** The parts of an object from which its version is computed. */
export interface VersionedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly document: { readonly value: JsonObject };
}

/** Computes versions of a mesh's objects: digests of their content, so that every replica has the same ones. */
export class ObjectVersions {
  readonly #versions = new WeakMap<JsonObject, string>();
  readonly #sent = new Map<string, string>();
  #before: readonly VersionedObject[] | undefined;

  /** What differs from the call before. Secrets have none: a digest would say whether a guess of one is right. */
  changesTo(objects: readonly VersionedObject[]): ObjectChanges {
    const before = this.#before;
    this.#before = objects;
    const come = this.#versionsOf(without(objects, before ?? []));
    const gone = this.#versionsOf(without(before ?? [], objects));
    for (const key of gone.keys()) this.#sent.delete(key);
    for (const [key, version] of come) this.#sent.set(key, version);
    return {
      isWhole: before === undefined,
      changed: [...come].filter(([key, version]) => gone.get(key) !== version),
      removed: [...gone.keys()].filter((key) => !come.has(key)),
    };
  }

  /** Of the object in force at the last call of `changesTo`. */
  inForce(key: string): string | undefined {
    return this.#sent.get(key);
  }

  #versionsOf(objects: readonly VersionedObject[]): ReadonlyMap<string, string> {
    const told = objects.filter(({ kind }) => kind !== 'Secret');
    return new Map(told.map((object) => [objectKey(object), this.#versionOf(object)]));
  }

  #versionOf({ document: { value } }: VersionedObject): string {
    let version = this.#versions.get(value);
    if (version === undefined) {
      version = contentVersion(JSON.stringify(value));
      this.#versions.set(value, version);
    }
    return version;
  }
}

/** Name of an object for people and for the debug requests: `<kind>/<namespace>/<name>`. */
export function objectKey({ kind, namespace, name }: Omit<VersionedObject, 'document'>): string {
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
