/** What is wrong: one of a closed list, so that callers can give each its own treatment. */
export type ApiProblemCode =
  | 'bad-value'
  | 'disallowed'
  | 'duplicate-field'
  | 'oneof-conflict'
  | 'required'
  | 'rule-violated'
  | 'too-deep'
  | 'unknown-enum-value'
  | 'unknown-field'
  | 'unknown-type'
  | 'wrong-type';

/** One reason for which Envoy's API refuses a message. */
export interface ApiProblem {
  /**
   * Envoy's own way of writing it: `static_resources.listeners[0].metadata.filter_metadata["a.b"]`; empty for the
   * message itself.
   */
  readonly path: string;
  readonly code: ApiProblemCode;
  /** One sentence, lower case, saying what was found and what is expected. */
  readonly message: string;
  readonly hint?: string;
}

const deepest = 100;

/**
 * Where a check stands in the message, and what it has found. The place is a stack that is overwritten, so that a
 * message without problems allocates nothing for its paths.
 */
export class Report {
  readonly problems: ApiProblem[] = [];
  readonly #keys: (string | number)[] = [];
  readonly #isMapKey: boolean[] = [];
  #depth = 0;

  /** Steps into a field (name) or a list's element (index). */
  enter(key: string | number): void {
    this.#keys[this.#depth] = key;
    this.#isMapKey[this.#depth] = false;
    this.#depth += 1;
  }

  /** Steps into a map's entry. */
  enterEntry(key: string): void {
    this.#keys[this.#depth] = key;
    this.#isMapKey[this.#depth] = true;
    this.#depth += 1;
  }

  /** True, and reported, when an object or list at this place is deeper than protobuf's C++ JSON parser goes. */
  isTooDeep(): boolean {
    if (this.#depth < deepest) return false;
    this.add('too-deep', `more than ${deepest} objects and lists within each other`);
    return true;
  }

  leave(): void {
    this.#depth -= 1;
  }

  add(code: ApiProblemCode, message: string, hint?: string): void {
    this.problems.push({ path: this.#path(), code, message, ...(hint !== undefined && { hint }) });
  }

  /** A problem of a field of the current message. */
  addAt(field: string, code: ApiProblemCode, message: string, hint?: string): void {
    this.enter(field);
    this.add(code, message, hint);
    this.leave();
  }

  #path(): string {
    let path = '';
    for (let index = 0; index < this.#depth; index += 1) {
      const key = this.#keys[index] ?? '';
      if (typeof key === 'number') path += `[${key}]`;
      else if (this.#isMapKey[index]) path += `[${JSON.stringify(key)}]`;
      else path += path === '' ? key : `.${key}`;
    }
    return path;
  }
}

/** A check of one JSON value; it reports what it finds. Never called with null, which is absence, but for Value. */
export type Check = (value: unknown, report: Report) => void;

/** How a value is called in a message: never its content, which may be a secret. */
export function nameJsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
