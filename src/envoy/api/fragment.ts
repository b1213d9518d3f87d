import type { JsonPath } from '../../diagnostics/span.ts';

/** A place in an Envoy message in canonical form and what stands there; places that do not exist have the value undefined. */
export class Fragment {
  readonly value: unknown;
  readonly #parent: Fragment | undefined;
  readonly #key: string | number;

  constructor(value: unknown, parent?: Fragment, key: string | number = '') {
    this.value = value;
    this.#parent = parent;
    this.#key = key;
  }

  /** From the root of the resource; put together only when it is told. */
  get path(): JsonPath {
    return this.#parent === undefined ? [] : [...this.#parent.path, this.#key];
  }

  /** Down these fields. */
  at(...fields: readonly string[]): Fragment {
    let here: Fragment = this;
    for (const field of fields) {
      here = new Fragment(isMessage(here.value) ? here.value[field] : undefined, here, field);
    }
    return here;
  }

  /** Elements of a list; none for anything else. */
  get items(): readonly Fragment[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((value, index) => new Fragment(value, this, index));
  }

  /** The last element of a list. */
  get last(): Fragment {
    const items = Array.isArray(this.value) ? this.value : [];
    return new Fragment(items.at(-1), this, Math.max(0, items.length - 1));
  }

  /** Fields of a message; none for anything else. */
  get fields(): readonly string[] {
    return isMessage(this.value) ? Object.keys(this.value) : [];
  }

  /** The message that stands here; an empty one for anything else. */
  get message(): Readonly<Record<string, unknown>> {
    return isMessage(this.value) ? this.value : {};
  }

  get exists(): boolean {
    return this.value !== undefined;
  }

  /** What stands here where it is a string, protobuf's default `''` included; else undefined. */
  get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  /** What stands here where it is a number; else undefined. */
  get number(): number | undefined {
    return typeof this.value === 'number' ? this.value : undefined;
  }

  /** Name of the message type in a `typed_config`, without its URL. */
  get type(): string | undefined {
    const url = isMessage(this.value) ? this.value['@type'] : undefined;
    return typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : undefined;
  }
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
