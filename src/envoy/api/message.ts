import { nearest } from '../../lib/nearest.ts';
import { typedStructs } from './extension-place.ts';
import { fieldCheck } from './field.ts';
import { type Check, nameJsonType, type Report } from './report.ts';
import { anyTypes, isEnum, jsonName, lookupType, type MessageSchema, schemaVersion } from './schema.ts';
import { wellKnownCheck } from './well-known.ts';

/** The check of a message type by its full name; compiled once, and the types that it refers to when they are met. */
export function messageCheck(name: string, withRules = true): Check {
  if (name === 'google.protobuf.Any') return checkAnyValue;
  const key = withRules ? name : `${name}!`;
  let check = compiled.get(key);
  if (check === undefined) {
    check = wellKnownCheck(name, {}) ?? compileMessage(name, withRules);
    if (typedStructs.has(name)) check = withTypedValue(check);
    compiled.set(key, check);
  }
  return check;
}

const compiled = new Map<string, Check>();

interface Member {
  readonly name: string;
  /** Until it is first called, what makes it. */
  check: Check;
  /** The bit of the oneof that the field belongs to, 0 for none. */
  readonly oneof: number;
  readonly takesNull: boolean;
}

interface Plan {
  readonly name: string;
  /** By each spelling that protobuf's JSON takes: `filter_chains`, `filterChains`. */
  readonly members: ReadonlyMap<string, Member>;
  readonly oneofs: readonly { readonly bit: number; readonly names: readonly string[]; readonly isRequired: boolean }[];
  /** Fields whose absence breaks a rule of theirs. */
  readonly needed: readonly { readonly name: string; readonly jsonName: string; readonly fault: string }[];
}

function compileMessage(name: string, withRules: boolean): Check {
  const plan = planMessage(name, withRules);
  return (value, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report.add('wrong-type', `found ${nameJsonType(value)}, expected an object`);
      return;
    }
    checkMembers(plan, value as Record<string, unknown>, report, false);
  };
}

function planMessage(name: string, withRulesWanted: boolean): Plan {
  const schema = lookupType(name);
  if (isEnum(schema)) throw new Error(`${name} is an enum, not a message`);
  const withRules =
    withRulesWanted && !schema.options?.['(validate.disabled)'] && !schema.options?.['(validate.ignored)'];
  const oneofs = realOneofs(schema).map(([, { oneof: names, options }], index) => {
    return { bit: 1 << index, names, isRequired: withRules && options?.['(validate.required)'] === true };
  });
  const members = new Map<string, Member>();
  const needed: Plan['needed'][number][] = [];
  for (const [fieldName, field] of Object.entries(schema.fields)) {
    const oneof = oneofs.find(({ names }) => names.includes(fieldName))?.bit ?? 0;
    const compileField = (): ReturnType<typeof fieldCheck> =>
      fieldCheck(`${name}.${fieldName}`, field, withRules, messageCheck);
    // Most fields are never met.
    const check: Check = (value, report) => {
      member.check = compileField().check;
      member.check(value, report);
    };
    const member: Member = { name: fieldName, check, oneof, takesNull: field.type === '.google.protobuf.Value' };
    const alias = jsonName(fieldName);
    members.set(alias, member);
    members.set(fieldName, member);
    // Without rules the absence of a field breaks none.
    const absent = field.options?.['(validate.rules)'] && oneof === 0 ? compileField().absent : undefined;
    if (absent !== undefined) needed.push({ name: fieldName, jsonName: alias, fault: absent });
  }
  return { name, members, oneofs, needed };
}

/** Without those that protobuf makes up for `optional` scalars. */
function realOneofs(schema: MessageSchema): [string, NonNullable<MessageSchema['oneofs']>[string]][] {
  const oneofs = Object.entries(schema.oneofs ?? {});
  const real = oneofs.filter(([, { oneof }]) => !oneof.every((name) => schema.fields[name]?.options?.proto3_optional));
  // The members that are set are kept as bits of one number.
  if (real.length > 30) throw new Error('a message with more than 30 oneofs');
  return real;
}

function checkMembers(plan: Plan, object: Record<string, unknown>, report: Report, isAny: boolean): void {
  if (report.isTooDeep()) return;
  let seen = 0;
  for (const key in object) {
    const member = plan.members.get(key);
    if (member === undefined) {
      if (!(isAny && key === '@type')) reportUnknownField(plan, key, report);
      continue;
    }
    const value = object[key];
    if (value === null && !member.takesNull) continue;
    if (key !== member.name && object[member.name] !== undefined) {
      report.addAt(key, 'duplicate-field', `the same field stands here as "${member.name}"`);
    }
    if (member.oneof !== 0) {
      if ((seen & member.oneof) !== 0) reportConflict(plan, member, report);
      seen |= member.oneof;
    }
    report.enter(member.name);
    member.check(value, report);
    report.leave();
  }
  for (const { name, jsonName: alias, fault } of plan.needed) {
    if (isAbsent(object[name]) && isAbsent(object[alias])) report.addAt(name, 'required', fault);
  }
  for (const { bit, names, isRequired } of plan.oneofs) {
    if (isRequired && (seen & bit) === 0) report.add('required', `one of ${names.join(', ')} is required`);
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function reportUnknownField(plan: Plan, key: string, report: Report): void {
  const name = nearest(key, plan.members.keys());
  report.addAt(key, 'unknown-field', `unknown field "${key}" in ${plan.name}`, name && `did you mean "${name}"?`);
}

function reportConflict(plan: Plan, member: Member, report: Report): void {
  const names = plan.oneofs.find(({ bit }) => bit === member.oneof)?.names ?? [];
  report.addAt(member.name, 'oneof-conflict', `only one of ${names.join(', ')} may be set`);
}

const prefix = 'type.googleapis.com/';
const bodies = new Map<string, Check>();

/** An Any: its `@type` names a type that may stand there, whose fields (or, for a well-known type, `value`) follow. */
function checkAnyValue(value: unknown, report: Report): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report.add('wrong-type', `found ${nameJsonType(value)}, expected an object with "@type"`);
    return;
  }
  const url = (value as { readonly '@type'?: unknown })['@type'];
  if (typeof url !== 'string') {
    report.addAt('@type', url === undefined ? 'required' : 'wrong-type', 'must name the type of this message');
    return;
  }
  let body = bodies.get(url);
  if (body === undefined) {
    const name = resolveTypeUrl(url, '@type', report);
    if (name === undefined) return;
    body = compileBody(name);
    bodies.set(url, body);
  }
  body(value, report);
}

function compileBody(name: string): Check {
  const known = name === 'google.protobuf.Any' ? checkAnyValue : wellKnownCheck(name, {});
  if (known === undefined) {
    const plan = planMessage(name, true);
    const check: Check = (value, report) => checkMembers(plan, value as Record<string, unknown>, report, true);
    return typedStructs.has(name) ? withTypedValue(check) : check;
  }
  const member = { name: 'value', check: known, oneof: 0, takesNull: name === 'google.protobuf.Value' };
  const plan: Plan = { name, members: new Map([['value', member]]), oneofs: [], needed: [] };
  return (value, report) => checkMembers(plan, value as Record<string, unknown>, report, true);
}

function resolveTypeUrl(url: string, field: string, report: Report): string | undefined {
  const name = url.slice(url.lastIndexOf('/') + 1);
  if (url !== prefix + name) {
    report.addAt(field, 'bad-value', `found "${url}", expected "${prefix}" and the name of a type`);
    return undefined;
  }
  if (anyTypes.has(name)) return name;
  const similar = nearest(name, anyTypes);
  const hint = similar === undefined ? undefined : `did you mean "${prefix}${similar}"?`;
  report.addAt(field, 'unknown-type', `Envoy ${schemaVersion} has no extension or resource "${name}" here`, hint);
  return undefined;
}

function withTypedValue(check: Check): Check {
  return (value, report) => {
    const before = report.problems.length;
    check(value, report);
    if (report.problems.length > before) return;
    const { type_url: snake, typeUrl = snake, value: body = {} } = value as Record<string, unknown>;
    if (typeof typeUrl !== 'string') return;
    const name = resolveTypeUrl(typeUrl, 'type_url', report);
    if (name === undefined) return;
    report.enter('value');
    messageCheck(name)(body, report);
    report.leave();
  };
}
