import { formatPath } from '../../diagnostics/json-path.ts';
import { Placed } from './placed.ts';
import type { FragmentOrigin } from './resource.ts';

/** A template as a function: builds the JSON of a view, and tells `at` where values with origins stand. */
export type BuildTemplate = (view: object, at: Placing) => Readonly<Record<string, unknown>>;

/** What Handlebars' `if` takes for true: 0, the empty string and the empty list are not. */
export function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** One resource in the making: how deep its template is, and the origins so far, in the order of the text. */
export class Placing {
  readonly origins: FragmentOrigin[] = [];
  readonly #path: (string | number)[] = [];

  enter(key: string | number): void {
    this.#path.push(key);
  }

  leave(): void {
    this.#path.pop();
  }

  /** A value of the view as JSON has it; its origins belong to the object in which it stands. */
  value(value: unknown, template: string): unknown {
    if (value === undefined) throw new Error(`template ${template}: the value is undefined`);
    if (!(value instanceof Placed)) return plain(value);
    this.origins.push({ path: formatPath(this.#path), ...value.origins });
    return plain(value.value);
  }

  /** A value of the view as the key of a member; keys have no origins. */
  key(value: unknown, template: string): string {
    if (typeof value !== 'string') throw new Error(`template ${template}: the key is not a text`);
    return value;
  }
}

/** What JSON keeps of a value. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) if (field !== undefined) kept[key] = plain(field);
  return kept;
}
