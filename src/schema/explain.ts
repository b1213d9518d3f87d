import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonPath, SourceSpan } from '../diagnostics/span.ts';
import { lookup } from '../lib/lookup.ts';
import { nearest } from '../lib/nearest.ts';
import { aliases } from '../policy/alias.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';
import { belongsBeside, collapse, fieldHolding, knownFields, onlyField, suggestedField } from './collapse.ts';
import { emptyTextHint } from './empty-text-hint.ts';
import { formatHint } from './format-hints.ts';
import { formats } from './formats.ts';
import { mostFaults } from './rule.ts';
import type { SchemaError, SchemaValidator } from './validator.ts';
import { describe, lastField, placeOf, printed, quotedList, typeNames } from './words.ts';

/** Whether the document is what the schema says; its mistakes go to the bag. */
export function holdsSchema(
  validator: SchemaValidator,
  document: PolicyDocument,
  kind: string,
  bag: DiagnosticBag,
): boolean {
  if (validator(document.value)) return true;
  explain(validator.errors ?? [], document, kind, bag);
  return false;
}

/** Turns the complaints of a generated validator into diagnostics: one for one mistake. */
export function explain(
  errors: readonly SchemaError[],
  document: PolicyDocument,
  kind: string,
  bag: DiagnosticBag,
): void {
  for (const error of collapse(errors.slice(0, 10 * mostFaults)).slice(0, mostFaults)) {
    const explanation = explanations[error.keyword];
    if (explanation === undefined) throw new Error(`schema keyword "${error.keyword}" has no explanation`);
    explanation(new Complaint(error, document, kind, bag));
  }
}

/** One complaint with the words that its message needs. */
class Complaint {
  readonly path: JsonPath;
  readonly field: string;
  readonly where: string;
  readonly error: SchemaError;
  readonly bag: DiagnosticBag;
  readonly #document: PolicyDocument;

  constructor(error: SchemaError, document: PolicyDocument, kind: string, bag: DiagnosticBag) {
    this.error = error;
    this.bag = bag;
    this.#document = document;
    this.path = pathOf(document.value, error.instancePath);
    this.field = lastField(this.path, kind);
    this.where = placeOf(this.path, kind);
  }

  get value(): string {
    return printed(this.error.propertyName ?? this.error.data);
  }

  /** What the keyword says. */
  get wanted(): unknown {
    return this.error.parentSchema?.[this.error.keyword];
  }

  /** Where the value stands; for a complaint about a key, the key. */
  get span(): SourceSpan {
    const { propertyName } = this.error;
    return propertyName === undefined ? this.#document.spanOf(this.path) : this.keyOf(propertyName);
  }

  /** The key of this value, or the value itself where it is an entry of a list or the root. */
  get ownKey(): SourceSpan {
    return this.#document.spanOf(this.path, typeof this.path.at(-1) === 'string' ? 'key' : 'value');
  }

  keyOf(field: string): SourceSpan {
    return this.#document.spanOf([...this.path, field], 'key');
  }
}

const explanations: Readonly<Record<string, (complaint: Complaint) => void>> = {
  additionalProperties: explainUnknownField,
  const: explainEnum,
  enum: explainEnum,
  format: explainFormat,
  maximum: explainRange,
  minimum: explainRange,
  maxItems: ({ bag, span, field, error, wanted }) => {
    const count = String((error.data as readonly JsonValue[]).length);
    bag.report('too-many-values', span, { field, count, limit: String(wanted) });
  },
  maxLength: ({ bag, span, field, error, wanted }) => {
    const value = `${String(error.data).length} characters long`;
    bag.report('value-out-of-range', span, { field, value, expected: `at most ${String(wanted)}` });
  },
  minItems: ({ bag, ownKey, field }) => bag.report('empty-list', ownKey, { field }),
  minLength: ({ bag, span, field, path }) => {
    bag.report('empty-value', span, { field }, { hint: emptyTextHint(path) });
  },
  minProperties: ({ bag, ownKey, where }) => bag.report('empty-object', ownKey, { where }),
  required: ({ bag, ownKey, where, error }) => {
    const field = String(error.params.missingProperty);
    const empty = where === 'AuthorizationPolicy' ? ', or "spec: {}" for a policy that allows nothing' : '';
    const fields = `write "spec:" and below it, indented, the fields of the ${where}${empty}`;
    const hint = field === 'spec' ? fields : undefined;
    bag.report('missing-field', ownKey, { field, where }, { hint });
  },
  type: ({ bag, span, field, error, wanted }) => {
    const holes = { field, found: describe(error.data), expected: typeNames(wanted) };
    bag.report('wrong-type', span, holes, { hint: typeHint(error, wanted, span) });
  },
  'x-at-least-one': ({ bag, ownKey, where, wanted }) => {
    bag.report('missing-one-of', ownKey, { where, fields: quotedList(wanted as readonly string[]) });
  },
  'x-at-most-one': (complaint) => {
    const object = complaint.error.data as JsonObject;
    const present = (complaint.wanted as readonly string[]).filter((name) => Object.hasOwn(object, name));
    const holes = { fields: quotedList(present, 'and'), where: complaint.where };
    complaint.bag.report('conflicting-fields', complaint.keyOf(present[1] ?? ''), holes);
  },
  'x-unsupported': ({ bag, ownKey, field, wanted }) => {
    bag.report('unsupported-field', ownKey, { field, reason: String(wanted) });
  },
};

/** How a value of the wrong type is written, where what was meant is plain. */
function typeHint({ data, parentSchema }: SchemaError, wanted: unknown, span: SourceSpan): string | undefined {
  const wants = (type: string): boolean => [wanted].flat().includes(type);
  const format = String(parentSchema?.format ?? '');
  if (typeof data === 'number' && wants('string')) {
    if (!/^duration|seconds$/.test(format)) {
      // A long number, or one that begins with a zero, is not printed as it was written.
      const isAsWritten = String(data).length === span.end - span.start;
      return isAsWritten ? `write it in quotes: "${data}"` : 'write it in quotes, as it stands there';
    }
    // Nobody waits minutes on purpose and writes no unit: a large number is of milliseconds as likely.
    return data < 100 ? `write it with its unit: ${data}s` : `write it with its unit: ${data}ms or ${data}s`;
  }
  const isNumber = typeof data === 'string' && /^-?\d+$/.test(data) && (wants('integer') || wants('number'));
  return isNumber ? `write it without quotes: ${data}` : undefined;
}

function explainUnknownField(complaint: Complaint): void {
  const { bag, error, where } = complaint;
  const field = String(error.params.additionalProperty);
  const meant = suggestedField(error);
  const hint = meant === undefined ? placeHint(complaint, field) : `did you mean "${meant}"?`;
  bag.report('unknown-field', complaint.keyOf(field), { field, where }, { hint });
}

/** Where an unknown field belongs, or what could stand in its place. */
function placeHint({ error, path }: Complaint, field: string): string | undefined {
  const holder = String(path.at(-2));
  if (typeof path.at(-1) === 'number' && belongsBeside(holder, field)) {
    return `move it out of "${holder}" and write it beside, indented as "${holder}" is`;
  }
  const inner = fieldHolding(error, field);
  if (inner !== undefined) return `move it into "${inner}"`;
  const only = onlyField(error);
  if (only !== undefined) return `write "${only}" in its place: that is the only field`;
  const known = knownFields(error);
  if (known.length === 0 || known.length > 8) return undefined;
  return known.length === 1 ? `the only field is "${known[0]}"` : `known fields are ${quotedList(known, 'and')}`;
}

function explainEnum({ bag, error, wanted, span, field, value }: Complaint): void {
  const refused = (error.parentSchema?.['x-refused-values'] ?? []) as readonly string[];
  const allowed = (Array.isArray(wanted) ? wanted : [wanted]).map(String).filter((name) => !refused.includes(name));
  const meanings = new Map(allowed.map((name) => [name, name]));
  for (const [theirs, ours] of Object.entries(aliases.tlsModes)) if (meanings.has(ours)) meanings.set(theirs, ours);
  const unsupported = lookup((error.parentSchema?.['x-unsupported-values'] ?? {}) as Record<string, string>, value);
  if (unsupported !== undefined) {
    const hint = 'leave out the file with --exclude or .meshpolignore';
    bag.report('unsupported-field', span, { field: `${field}: ${value}`, reason: unsupported }, { hint });
    return;
  }
  const near = nearest(value, [...meanings.keys()]);
  const hint = near === undefined ? undefined : `did you mean "${meanings.get(near)}"?`;
  bag.report('unknown-enum-value', span, { field, value, expected: `one of ${allowed.join(', ')}` }, { hint });
}

function explainRange({ bag, error, span, field, value }: Complaint): void {
  const { minimum, maximum } = error.parentSchema as { minimum?: number; maximum?: number };
  const least = minimum === undefined ? `at most ${maximum}` : `at least ${minimum}`;
  const expected = minimum === undefined || maximum === undefined ? least : `${minimum} to ${maximum}`;
  bag.report('value-out-of-range', span, { field, value, expected });
}

function explainFormat({ bag, error, span, field, value }: Complaint): void {
  const text = error.propertyName ?? String(error.data);
  const format = formats[String(error.params.format)];
  const code = format?.faultOf(text);
  if (format === undefined || code === undefined) throw new Error(`format "${error.params.format}" has no explanation`);
  const hint = formatHint(String(error.params.format), text, field);
  bag.report(code, span, { field, value, expected: format.expected }, { hint });
}

/** Keys and indexes of a JSON Pointer into `root` (RFC 6901); digits are an index only in a list. */
function pathOf(root: JsonValue, pointer: string): JsonPath {
  let at: JsonValue | undefined = root;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const holder: JsonValue | undefined = at;
      at = typeof holder === 'object' && holder !== null ? (holder as JsonObject)[key] : undefined;
      return Array.isArray(holder) ? Number(key) : key;
    });
}
