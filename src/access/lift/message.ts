import { formatPath } from '../../diagnostics/json-path.ts';
import type { Fragment } from '../../envoy/api/fragment.ts';
import { bearingOf } from './known.ts';

/** Parts of the configuration that are not understood: a request that reaches one has the verdict `unknown`. */
export class Gaps {
  #first: Fragment | undefined;

  note(fragment: Fragment): void {
    this.#first ??= fragment;
  }

  /** Path of the first from the root of its resource; undefined where all is understood. */
  get first(): string | undefined {
    return this.#first && formatPath(this.#first.path);
  }
}

/** A message of Envoy's API, of which every field that is set is looked up in the table of known fields. */
export class Message {
  readonly type: string;
  readonly fragment: Fragment;
  readonly gaps: Gaps;

  /** `type` is the full name without leading dot. Fields that are not known go to `gaps`. */
  constructor(type: string, fragment: Fragment, gaps: Gaps) {
    this.type = type;
    this.fragment = fragment;
    this.gaps = gaps;
    for (const field of fragment.fields) {
      if (field !== '@type' && !isUnderstood(type, field)) gaps.note(fragment.at(field));
    }
  }

  has(field: string): boolean {
    return this.#at(field).exists;
  }

  /** Protobuf's default where the field is absent. */
  text(field: string): string {
    return this.#at(field).text ?? '';
  }

  texts(field: string): readonly string[] {
    return this.#at(field).items.map(({ text }) => text ?? '');
  }

  flag(field: string): boolean {
    return this.#at(field).value === true;
  }

  number(field: string): number | undefined {
    return this.#at(field).number;
  }

  /** A value without a message type of its own. */
  struct(field: string): Readonly<Record<string, unknown>> {
    return this.#at(field).message;
  }

  message(field: string, type: string): Message {
    return new Message(type, this.#at(field), this.gaps);
  }

  messages(field: string, type: string): readonly Message[] {
    return this.#at(field).items.map((item) => new Message(type, item, this.gaps));
  }

  /** The same, where each has gaps of its own: the rest can be judged without it. */
  parts(field: string, type: string): readonly Message[] {
    return this.#at(field).items.map((item) => new Message(type, item, new Gaps()));
  }

  /** The values of a map from text to message, by their keys. */
  entries(field: string, type: string): readonly (readonly [key: string, value: Message])[] {
    const map = this.#at(field);
    return map.fields.map((key) => [key, new Message(type, map.at(key), this.gaps)]);
  }

  /** The same, where each has gaps of its own. */
  partEntries(field: string, type: string): readonly (readonly [key: string, value: Message])[] {
    const map = this.#at(field);
    return map.fields.map((key) => [key, new Message(type, map.at(key), new Gaps())]);
  }

  /** The values of a map from text to `google.protobuf.Any`, by their keys; undefined for none. */
  anyEntries(field: string): readonly (readonly [key: string, value: Message | undefined])[] {
    const map = this.#at(field);
    return map.fields.map((key) => [key, anyIn(map.at(key), this.gaps)]);
  }

  /** What stands in a `google.protobuf.Any`, by its own type; undefined for none. */
  any(field: string): Message | undefined {
    return anyIn(this.#at(field), this.gaps);
  }

  /** Says that a field has a value that is not understood. */
  refuse(field: string): void {
    this.gaps.note(this.#at(field));
  }

  #at(field: string): Fragment {
    if (bearingOf(this.type, field) !== 'decides') throw new Error(`${this.type}.${field} is no field that decides`);
    return this.fragment.at(field);
  }
}

function isUnderstood(type: string, field: string): boolean {
  const bearing = bearingOf(type, field);
  return bearing === 'decides' || bearing === 'inert';
}

function anyIn(fragment: Fragment, gaps: Gaps): Message | undefined {
  const { type } = fragment;
  return type === undefined ? undefined : new Message(type, fragment, gaps);
}
