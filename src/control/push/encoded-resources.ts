import { createHash } from 'node:crypto';
import { messageTypes, type Resource } from '../../compiler/render/resource.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';

/** A resource as it is sent to another thread. */
export interface EncodedResource {
  readonly name: string;
  /** First 64 bits of the SHA-256 of `body`. */
  readonly version: string;
  readonly body: Uint8Array;
}

interface Counted extends EncodedResource {
  readonly key: string;
  /** How many of the lists that were sent have it. */
  uses: number;
}

/**
 * Encodes each resource once, and knows which ones the other thread has. Thousands of resources stand in several lists, so
 * that a list is told by counting, and not by texts.
 */
export class EncodedResources {
  readonly #encoded = new WeakMap<Resource, Counted>();
  /** Of the same type, name and content, one counts. */
  readonly #known = new Map<string, Counted>();

  of(resource: Resource): EncodedResource {
    return this.#of(resource);
  }

  /** One list more is sent that has it. Gives whether the other thread does not know its body yet. */
  use(resource: Resource): boolean {
    const counted = this.#of(resource);
    if (counted.uses++ > 0) return false;
    const isNew = !this.#known.has(counted.key);
    if (isNew) this.#known.set(counted.key, counted);
    return isNew;
  }

  /** A list that has it is forgotten on both sides. */
  release(resource: Resource): void {
    const counted = this.#of(resource);
    // If an equal one is still in use, its body is sent once more than needed.
    if (--counted.uses === 0 && this.#known.get(counted.key) === counted) this.#known.delete(counted.key);
  }

  #of(resource: Resource): Counted {
    let counted = this.#encoded.get(resource);
    if (counted === undefined) {
      const { type, name, json } = resource;
      const body = encodeMessage(messageTypes[type], json);
      const version = createHash('sha256').update(body).digest('hex').slice(0, 16);
      const key = `${type}\n${name}\n${version}`;
      counted = this.#known.get(key) ?? { name, version, body, key, uses: 0 };
      this.#encoded.set(resource, counted);
    }
    return counted;
  }
}
