import type { JsonObject, JsonValue } from '../../source/document.ts';
import type { Dice } from '../../testing/dice.ts';
import type { FixtureObject } from './fixture-objects.ts';

type Path = readonly (string | number)[];

/** Objects as they are not in any fixture: fields are gone, twice there, or have what objects of their kind have elsewhere. */
export class MutatedObjects {
  readonly #objects: readonly FixtureObject[];
  readonly #dice: Dice;
  /** By kind, and path without indexes. */
  readonly #values = new Map<string, JsonValue[]>();

  constructor(objects: readonly FixtureObject[], dice: Dice) {
    this.#objects = objects;
    this.#dice = dice;
    for (const { defined, value } of objects) {
      for (const [path, part] of partsOf(value.spec as JsonValue, [])) {
        const key = keyOf(defined.kind, path);
        const known = this.#values.get(key) ?? [];
        this.#values.set(key, known);
        known.push(part);
      }
    }
  }

  /** Another one each time. */
  next(): { readonly from: FixtureObject; readonly value: JsonObject } {
    const from = this.#dice.pick(this.#objects);
    const value = structuredClone(from.value) as { spec: JsonValue } & JsonObject;
    for (let changes = 1 + this.#dice.below(3); changes > 0; changes--) this.#change(value, from.defined.kind);
    return { from, value };
  }

  #change(value: { spec: JsonValue }, kind: string): void {
    const [path, part] = this.#dice.pick([...partsOf(value.spec, [])]);
    const holder = path.slice(0, -1).reduce<JsonValue>((at, step) => (at as JsonObject)[step] as JsonValue, value.spec);
    const last = path.at(-1);
    if (last === undefined) return;
    const what = this.#dice.below(10);
    if (Array.isArray(holder)) {
      if (what < 3) holder.splice(Number(last), 1);
      else if (what < 5) holder.push(structuredClone(part));
      else holder[Number(last)] = this.#other(kind, path);
      return;
    }
    const fields = holder as Record<string, JsonValue>;
    if (what < 3) delete fields[last];
    else if (what < 7) fields[last] = this.#other(kind, path);
    else {
      // A field that others of the kind have beside it.
      const beside = [...this.#values.keys()].filter((key) => isBeside(key, keyOf(kind, path)));
      const name = this.#dice.pick(beside).split('.').at(-1) ?? '';
      fields[name] = this.#other(kind, [...path.slice(0, -1), name]);
    }
  }

  #other(kind: string, path: Path): JsonValue {
    return structuredClone(this.#dice.pick(this.#values.get(keyOf(kind, path)) ?? ['']));
  }
}

/** Every value below, with its path. */
function* partsOf(value: JsonValue, path: Path): Generator<readonly [Path, JsonValue]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) yield* partsOf(inner, [...path, isList ? Number(key) : key]);
}

function keyOf(kind: string, path: Path): string {
  return [kind, ...path.map((step) => (typeof step === 'number' ? '[]' : step))].join('.');
}

function isBeside(key: string, other: string): boolean {
  return key.slice(0, key.lastIndexOf('.')) === other.slice(0, other.lastIndexOf('.')) && !key.endsWith('[]');
}
