import type { JsonPath } from '../../diagnostics/span.ts';

/** A place in rendered JSON and what stands there; places that do not exist have the value undefined. */
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

  /** Down these fields, which a user's template may also write in Envoy's camel case. */
  at(...fields: readonly string[]): Fragment {
    let here: Fragment = this;
    for (const field of fields) {
      const key = keyOf(here.value, field);
      const value = key === undefined ? undefined : (here.value as Record<string, unknown>)[key];
      here = new Fragment(value, here, key ?? field);
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

  /** Fields of a message, in Envoy's snake case; none for anything else. */
  get fields(): readonly string[] {
    return isMessage(this.value) ? Object.keys(this.value).map(snakeCase) : [];
  }

  get exists(): boolean {
    return this.value !== undefined;
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

function keyOf(value: unknown, field: string): string | undefined {
  if (!isMessage(value)) return undefined;
  if (value[field] !== undefined) return field;
  const camel = camelCase(field);
  return value[camel] === undefined ? undefined : camel;
}

/** Most look-ups are of fields that are absent: the few names are turned once. */
const camelCases = new Map<string, string>();

function camelCase(field: string): string {
  let camel = camelCases.get(field);
  if (camel === undefined) {
    camel = field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelCases.set(field, camel);
  }
  return camel;
}

/** Envoy's own spelling of a field that may be written in camel case. */
export function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
