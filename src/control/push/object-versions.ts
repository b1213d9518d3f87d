import type { JsonObject } from '../../source/document.ts';
import { contentVersion } from '../../xds/resource.ts';

/** What became of the objects of the mesh since the snapshot before. */
export interface ObjectChanges {
  /** Nothing is known of a snapshot before: objects that are not named here are gone. */
  readonly isWhole: boolean;
  /** `<kind>/<namespace>/<name>`, without a namespace `<kind>/<name>`, and the version. */
  readonly changed: readonly (readonly [key: string, version: string])[];
  readonly removed: readonly string[];
}

/** An object as far as its version is made of it. */
export interface VersionedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly document: { readonly value: JsonObject };
}

/** Versions of a mesh's objects: digests of what they say, so that every replica has the same ones. */
export class ObjectVersions {
  readonly #versions = new WeakMap<JsonObject, string>();
  #sent: ReadonlyMap<string, string> | undefined;

  /** What differs from the call before. Secrets have none: a digest would say whether a guess of one is right. */
  changesTo(objects: readonly VersionedObject[]): ObjectChanges {
    const before = this.#sent;
    const now = new Map<string, string>();
    for (const object of objects) if (object.kind !== 'Secret') now.set(objectKey(object), this.#versionOf(object));
    this.#sent = now;
    if (before === undefined) return { isWhole: true, changed: [...now], removed: [] };
    return {
      isWhole: false,
      changed: [...now].filter(([key, version]) => before.get(key) !== version),
      removed: [...before.keys()].filter((key) => !now.has(key)),
    };
  }

  /** Of the object in force at the last call of `changesTo`. */
  inForce(key: string): string | undefined {
    return this.#sent?.get(key);
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

/** How people and the debug endpoints name an object. */
export function objectKey({ kind, namespace, name }: Omit<VersionedObject, 'document'>): string {
  return namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
