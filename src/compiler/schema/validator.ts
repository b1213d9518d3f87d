import type { JsonValue } from '../source/document.ts';

/** One complaint of a generated validator (ajv's form, `verbose`). */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer to the value (RFC 6901). */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set when the complaint is about a key. */
  readonly propertyName?: string;
  /** Value of the keyword. */
  readonly schema?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly data?: JsonValue;
}

/** A generated validator: true, or false with the complaints on the function itself until the next call. */
export interface SchemaValidator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}
