import { nearest } from '../lib/nearest.ts';
import { isDnsLabel } from '../schema/names.ts';

/** What a value of an input must be. */
type Shape =
  | 'anything'
  | 'string'
  | { readonly oneOf: readonly string[] }
  | { readonly isRight: (text: string) => boolean; readonly what: string }
  | { readonly list: Shape }
  | { readonly each: Shape }
  | ObjectShape;

interface ObjectShape {
  readonly fields: Readonly<Record<string, Shape>>;
  /** Names of fields that must be there. */
  readonly required: readonly string[];
  /** Other names are a mistake. What a program has of a text besides is its own affair. */
  readonly isClosed?: boolean;
}

const namedText = { fields: { path: 'string', text: 'string' }, required: ['path', 'text'] } as const;

const inputShape: ObjectShape = {
  required: ['files'],
  isClosed: true,
  fields: {
    files: { list: namedText },
    meshConfig: namedText,
    variables: { each: 'string' },
    trustDomain: { isRight: (text) => text !== '', what: 'a name' },
    rootNamespace: { isRight: isDnsLabel, what: 'the name of a namespace: lower-case letters, digits and "-"' },
    workloads: { list: { fields: { namespace: 'string', name: 'string' }, required: ['namespace', 'name'] } },
    keySets: {
      list: { fields: { ...namedText.fields, issuer: 'string' }, required: [...namedText.required, 'issuer'] },
    },
    templates: {
      list: { fields: { ...namedText.fields, name: 'string' }, required: [...namedText.required, 'name'] },
    },
    bootstrap: { fields: { custom: namedText, override: namedText }, required: [], isClosed: true },
    delivery: { oneOf: ['files', 'ads'] },
  },
};

const questionShape: ObjectShape = {
  required: ['from', 'to'],
  isClosed: true,
  fields: {
    from: 'anything',
    to: 'anything',
    protocol: { oneOf: ['http', 'http2', 'tcp'] },
    method: 'string',
    path: 'string',
    host: 'string',
    headers: { list: { list: 'string' } },
    claims: 'anything',
    authorizer: { oneOf: ['allow', 'deny', 'away'] },
    now: 'anything',
  },
};

const severity = { oneOf: ['error', 'warning', 'info'] } as const;
const severities = { each: { oneOf: [...severity.oneOf, 'off'] } } as const;

const lintOptionsShape: ObjectShape = {
  required: [],
  isClosed: true,
  fields: {
    // What is in the list is checked rule by rule.
    rules: { list: 'anything' },
    today: 'string',
    project: {
      required: [],
      isClosed: true,
      fields: {
        failOn: severity,
        severity,
        rules: severities,
        overrides: {
          list: {
            required: ['paths', 'rules'],
            isClosed: true,
            fields: { paths: { list: 'string' }, rules: severities },
          },
        },
      },
    },
  },
};

/** Throws a TypeError where questions to `evaluate` are not of their type. */
export function checkQuestions(questions: unknown): void {
  check(questions, { list: questionShape }, 'the second argument', 'evaluate');
  for (const [i, question] of (questions as readonly Readonly<Record<string, unknown>>[]).entries()) {
    const { from, to, now } = question;
    const place = `the second argument[${i}]`;
    if (from !== 'outside')
      check(from, hasField(from, 'address') ? clientShape : workloadShape, `${place}.from`, 'evaluate');
    check(to, hasField(to, 'host') ? hostShape : targetShape, `${place}.to`, 'evaluate');
    const port = hasField(to, 'port') ? to.port : undefined;
    for (const [name, value] of [
      ['to.port', port],
      ['now', now],
    ] as const) {
      if (value === undefined || typeof value === 'number') continue;
      throw new TypeError(`evaluate: ${place}.${name} is ${kindOf(value)}, expected a number`);
    }
  }
}

function hasField<Name extends string>(value: unknown, name: Name): value is Readonly<Record<Name, unknown>> {
  return typeof value === 'object' && value !== null && name in value;
}

const clientShape: ObjectShape = {
  required: ['address'],
  isClosed: true,
  fields: { address: 'string', identity: 'string' },
};
const workloadFields = { namespace: 'string', name: 'string' } as const;
const workloadShape: ObjectShape = { required: ['namespace', 'name'], isClosed: true, fields: workloadFields };
const targetShape: ObjectShape = { ...workloadShape, fields: { ...workloadFields, port: 'anything' } };
const hostShape: ObjectShape = { required: ['host'], isClosed: true, fields: { host: 'string', port: 'anything' } };

/** Throws a TypeError where options of `lint` are not of their type. */
export function checkLintOptions(options: unknown): void {
  check(options, lintOptionsShape, 'the second argument', 'lint');
}

/**
 * Throws a TypeError, in the name of the function that was `called`, where an input is not of its type. A field that has
 * no meaning is a mistake too: a misspelt `workloads` would compile all of them.
 */
export function checkInput(called: string, input: unknown): void {
  check(input, inputShape, 'the input', called);
}

function check(value: unknown, shape: Shape, place: string, called: string): void {
  if (shape === 'anything') return;
  const isText = shape === 'string' || 'oneOf' in shape || 'isRight' in shape;
  const expected = isText ? 'a string' : 'list' in shape ? 'an array' : 'an object';
  if (kindOf(value) !== expected) throw new TypeError(`${called}: ${place} is ${kindOf(value)}, expected ${expected}`);
  if (shape === 'string') return;
  if ('oneOf' in shape) {
    if (shape.oneOf.includes(String(value))) return;
    throw new TypeError(`${called}: ${place} is "${value}", expected one of ${shape.oneOf.join(', ')}`);
  }
  if ('isRight' in shape) {
    if (shape.isRight(String(value))) return;
    throw new TypeError(`${called}: ${place} is "${value}", expected ${shape.what}`);
  }
  if ('fields' in shape) checkFields(value as Readonly<Record<string, unknown>>, shape, place, called);
  // By position: an array may leave some out.
  else if ('list' in shape)
    for (const [i, item] of (value as unknown[]).entries()) check(item, shape.list, `${place}[${i}]`, called);
  else
    for (const [name, item] of Object.entries(value as object)) {
      if (item !== undefined) check(item, shape.each, `${place}.${name}`, called);
    }
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  { fields, required, isClosed }: ObjectShape,
  place: string,
  called: string,
): void {
  const inside = (name: string): string =>
    place === 'the input' || place === 'the second argument' ? name : `${place}.${name}`;
  for (const name of Object.keys(value)) {
    if (!isClosed || Object.hasOwn(fields, name)) continue;
    const meant = nearest(name, Object.keys(fields));
    const near = meant === undefined ? '' : `; did you mean "${meant}"?`;
    throw new TypeError(`${called}: ${inside(name)} has no meaning, expected ${Object.keys(fields).join(', ')}${near}`);
  }
  for (const [name, shape] of Object.entries(fields)) {
    if (value[name] === undefined && !required.includes(name)) continue;
    check(value[name], shape, inside(name), called);
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
