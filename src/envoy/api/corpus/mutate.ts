import { extensionFault } from '../extension-place.ts';
import type { Rules } from '../rules.ts';
import { type FieldSchema, isEnum, jsonName, lookupType, type MessageSchema } from '../schema.ts';
import { breakRule } from './break-rule.ts';

/** One change to a good configuration. */
export interface Mutation {
  /** The kind of change; the corpus takes some of each kind. */
  readonly label: string;
  /** Where, as path of keys from the root to the object or list that changes. */
  readonly path: readonly (string | number)[];
  /** Why Envoy takes what the checker refuses; absent where Envoy must refuse too. */
  readonly excuse?: string;
  /** False for changes that keep to the API: there only a refusal that Envoy does not share is a fault. */
  readonly isBroken: boolean;
  /** Changes the object or list at the path. */
  apply(target: Record<string | number, unknown>): void;
}

/** A copy of the configuration with the change. */
export function mutate(root: object, mutation: Mutation): object {
  const copy = structuredClone(root);
  let target = copy as Record<string | number, unknown>;
  for (const key of mutation.path) target = target[key] as Record<string | number, unknown>;
  mutation.apply(target);
  return copy;
}

/** Every change that the schema suggests for a message of this type, in a fixed order. */
export function* mutations(
  typeName: string,
  json: object,
  path: readonly (string | number)[] = [],
): Generator<Mutation> {
  const schema = lookupType(typeName);
  if (isEnum(schema)) return;
  const object = json as Record<string, unknown>;
  yield change('unknown field', path, (target) => Object.assign(target, { no_such_field: 1 }));
  yield* oneofMutations(schema, object, path);
  const oneofMembers = new Set(Object.values(schema.oneofs ?? {}).flatMap(({ oneof }) => oneof));
  for (const [name, field] of Object.entries(schema.fields)) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    yield* fieldMutations(name, field, value, path, oneofMembers.has(name));
    yield* innerMutations(`${typeName}.${name}`, field, value, [...path, name]);
  }
}

type Apply = Mutation['apply'];

/** A change that breaks the API. */
export function change(label: string, path: Mutation['path'], apply: Apply, excuse?: string): Mutation {
  return { label, path, apply, isBroken: true, ...(excuse !== undefined && { excuse }) };
}

function* innerMutations(
  fullName: string,
  field: FieldSchema,
  value: unknown,
  path: Mutation['path'],
): Generator<Mutation> {
  const type = field.type.slice(1);
  const hasOwnForm = type.startsWith('google.protobuf.') && type !== 'google.protobuf.Any';
  if (!field.type.startsWith('.') || hasOwnForm) return;
  for (const [item, at] of elements(field, value, path)) {
    if (type === 'google.protobuf.Any') yield* anyMutations(fullName, item as Record<string, unknown>, at);
    else if (typeof item === 'object' && item !== null) yield* mutations(type, item, at);
  }
}

/** The single value, or those of a list or map, each with its path. */
export function elements(
  field: FieldSchema,
  value: unknown,
  path: Mutation['path'],
): (readonly [item: unknown, path: Mutation['path']])[] {
  if (field.rule === 'repeated') return (value as unknown[]).map((item, index) => [item, [...path, index]]);
  if (field.keyType === undefined) return [[value, path]];
  return Object.entries(value as object).map(([key, item]) => [item, [...path, key]]);
}

function* anyMutations(fullName: string, any: Record<string, unknown>, path: Mutation['path']): Generator<Mutation> {
  const { '@type': url, ...fields } = any;
  yield change('Any of an unknown type', path, (target) => {
    target['@type'] = `${String(url)}x`;
  });
  yield change('Any without type', path, (target) => {
    delete target['@type'];
    target.no_such_field = 1;
  });
  if (extensionFault(fullName, misplaced) !== undefined) {
    yield change('extension of another kind', path, (target) => {
      for (const key of Object.keys(fields)) delete target[key];
      target['@type'] = `type.googleapis.com/${misplaced}`;
    });
  }
  yield* mutations(String(url).slice('type.googleapis.com/'.length), fields, path);
}

// A message without fields, at home among the retry policies only.
const misplaced = 'envoy.extensions.retry.host.omit_canary_hosts.v3.OmitCanaryHostsPredicate';

function* oneofMutations(
  schema: MessageSchema,
  object: Record<string, unknown>,
  path: Mutation['path'],
): Generator<Mutation> {
  for (const { oneof: members, options } of Object.values(schema.oneofs ?? {})) {
    if (schema.fields[members[0] ?? '']?.options?.proto3_optional) continue;
    const present = members.find((name) => object[name] !== undefined);
    if (present === undefined) continue;
    const other = members.find((name) => name !== present && plausible(schema.fields[name]) !== undefined);
    if (other !== undefined) {
      yield change('oneof with two members', path, (target) => {
        target[other] = plausible(schema.fields[other]);
      });
    }
    if (options?.['(validate.required)']) {
      yield change('required oneof without member', path, (target) => {
        delete target[present];
      });
    }
  }
}

function plausible(field: FieldSchema | undefined): unknown {
  if (field === undefined) return undefined;
  if (field.type === 'string') return '/x';
  if (field.type === 'bool') return true;
  if (field.type === 'uint32') return 1;
  return field.type.startsWith('.') && !field.type.startsWith('.google.') && !isEnum(lookupType(field.type.slice(1)))
    ? {}
    : undefined;
}

function* fieldMutations(
  name: string,
  field: FieldSchema,
  value: unknown,
  path: Mutation['path'],
  isOneofMember: boolean,
): Generator<Mutation> {
  const set = (label: string, wrong: unknown, excuse?: string): Mutation =>
    change(label, path, (target) => Object.assign(target, { [name]: wrong }), excuse);
  const rules = field.options?.['(validate.rules)'];
  if (rules !== undefined) yield* ruleMutations(name, rules, value, path, isOneofMember);
  if (jsonName(name) !== name) {
    yield change(
      'field in both spellings',
      path,
      (target) => Object.assign(target, { [jsonName(name)]: value }),
      'the last one counts',
    );
  }
  if (field.keyType !== undefined) {
    yield set('list for a map', [1]);
  } else if (field.rule === 'repeated') {
    yield set('text for a list of messages', field.type.startsWith('.') ? 'x' : [{}]);
    yield set('one value for a list', (value as unknown[])[0], 'Envoy reads one value as a list of one');
  } else {
    yield* valueMutations(field.type, value, set);
  }
}

const negative = '-1s';

/** Values of the wrong kind, per kind. */
function* valueMutations(
  type: string,
  value: unknown,
  set: (label: string, wrong: unknown, excuse?: string) => Mutation,
): Generator<Mutation> {
  if (type === 'string') yield set('number for a string', 7);
  else if (type === 'bool' || type === '.google.protobuf.BoolValue') {
    yield set('number for a bool', 7);
    yield set('text for a bool', String(value), 'Envoy reads quoted bools');
  } else if (/uint32|UInt32Value/.test(type)) {
    yield set('negative number', -1);
    yield set('number too large', 2 ** 32);
    yield set('broken number', 1.5);
    yield set('text for a number', 'seven');
  } else if (/int64|Int64Value/.test(type)) yield set('text for a number', 'seven');
  else if (type === '.google.protobuf.Duration') {
    yield set('duration with the wrong unit', '5ms');
    yield set('negative duration', negative);
    yield set('number for a duration', 5);
    yield set('duration as an object', { seconds: 1 }, 'Envoy reads the message form');
  } else if (type.startsWith('.') && !type.startsWith('.google.')) yield* referenceMutations(type.slice(1), value, set);
}

function* referenceMutations(
  name: string,
  value: unknown,
  set: (label: string, wrong: unknown, excuse?: string) => Mutation,
): Generator<Mutation> {
  const schema = lookupType(name);
  if (!isEnum(schema)) {
    yield set('text for a message', 'x');
    return;
  }
  yield set('unknown enum value', 'NO_SUCH_VALUE');
  yield set('object for an enum', {});
  yield set('enum in lower case', String(value).toLowerCase(), 'Envoy reads enums without case');
}

function* ruleMutations(
  name: string,
  rules: Rules,
  value: unknown,
  path: Mutation['path'],
  isOneofMember: boolean,
): Generator<Mutation> {
  for (const { rule, wrong } of breakRule(rules, value)) {
    // A member of a oneof may be absent, whatever its rules say.
    if (wrong === undefined && isOneofMember) continue;
    yield change(`rule ${rule}`, path, (target) => {
      if (wrong === undefined) delete target[name];
      else target[name] = wrong;
    });
  }
}
