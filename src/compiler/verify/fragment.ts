import type { JsonPath } from '../../diagnostics/span.ts';

/** A place in rendered JSON and what stands there; places that do not exist have the value undefined. */
export class Fragment {
  readonly value: unknown;
  readonly path: JsonPath;

  constructor(value: unknown, path: JsonPath = []) {
    this.value = value;
    this.path = path;
  }

  /** Down these fields, which a user's template may also write in Envoy's camel case. */
  at(...fields: readonly string[]): Fragment {
    let value = this.value;
    const path = [...this.path];
    for (const field of fields) {
      const key = keyOf(value, field);
      value = key === undefined ? undefined : (value as Record<string, unknown>)[key];
      path.push(key ?? field);
    }
    return new Fragment(value, path);
  }

  /** Elements of a list; none for anything else. */
  get items(): readonly Fragment[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((value, index) => new Fragment(value, [...this.path, index]));
  }

  /** The last element of a list. */
  get last(): Fragment {
    const items = Array.isArray(this.value) ? this.value : [];
    return new Fragment(items.at(-1), [...this.path, Math.max(0, items.length - 1)]);
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
  const camel = field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return value[camel] === undefined ? undefined : camel;
}

/** Envoy's own spelling of a field that may be written in camel case. */
export function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
