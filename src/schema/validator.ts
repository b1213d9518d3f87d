import type { JsonValue } from '../source/document.ts';

/** One complaint of a generated validator (after ajv's `ErrorObject`). */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer to the value (RFC 6901). */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that the keyword stands in; none for `false`. */
  readonly parentSchema: Readonly<Record<string, unknown>> | undefined;
  readonly data: JsonValue;
  /** Set when the complaint is about a key of the object at `instancePath`. */
  readonly propertyName: string | undefined;
  /** Repeats the complaint about a keyword of ours, which is made of this one. */
  readonly isPart: boolean;
}

/** A generated validator: true, or false with the complaints on the function itself until the next call. */
export interface SchemaValidator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}
