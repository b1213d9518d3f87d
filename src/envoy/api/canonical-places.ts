import type { JsonPath } from '../../diagnostics/span.ts';

/** How one object of the canonical form was written; objects that were written as they are have none. */
export interface WrittenForm {
  /** From what is reported as the object's place to its fields: a TypedStruct has them in `value`. */
  readonly prefix: JsonPath;
  /** Canonical name of a field to the written one, where they differ. */
  readonly names: ReadonlyMap<string, string>;
}

/** Paths of a message in canonical form and the same places as they were written. */
export class CanonicalPlaces {
  readonly #json: object;
  readonly #forms: WeakMap<object, WrittenForm>;

  constructor(json: object, forms: WeakMap<object, WrittenForm>) {
    this.#json = json;
    this.#forms = forms;
  }

  /** Where `path` of the canonical form was written; what is not there keeps its name. */
  written(path: JsonPath): JsonPath {
    const steps: (string | number)[] = [];
    let here: unknown = this.#json;
    for (const step of path) {
      const form = this.#formOf(here);
      steps.push(...(form?.prefix ?? []), form?.names.get(String(step)) ?? step);
      here = childOf(here, step);
    }
    return steps;
  }

  /** Where in the canonical form stands what was written at `path`. */
  canonical(path: JsonPath): JsonPath {
    const steps: (string | number)[] = [];
    let here: unknown = this.#json;
    let skipped = 0;
    for (const step of path) {
      const form = this.#formOf(here);
      if (skipped < (form?.prefix.length ?? 0)) {
        skipped += 1;
        continue;
      }
      skipped = 0;
      const name = [...(form?.names ?? [])].find(([, written]) => written === step)?.[0] ?? step;
      steps.push(name);
      here = childOf(here, name);
    }
    return steps;
  }

  #formOf(here: unknown): WrittenForm | undefined {
    return typeof here === 'object' && here !== null ? this.#forms.get(here) : undefined;
  }
}

function childOf(here: unknown, step: string | number): unknown {
  if (typeof here !== 'object' || here === null) return undefined;
  return (here as Readonly<Record<string | number, unknown>>)[step];
}
