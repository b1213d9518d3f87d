import { enumCheck } from './enum.ts';
import { extensionFault } from './extension-place.ts';
import { type Check, nameJsonType, type Report } from './report.ts';
import { countRule, type MapRules, type RepeatedRules, type Rules, refuseUnknown } from './rules.ts';
import { absentOf, applyRule, isScalar, scalarCheck, type ValueCheck } from './scalar.ts';
import { anyTypes, type FieldSchema, isEnum, lookupType } from './schema.ts';
import { valueFormat } from './value-format.ts';
import { requiredByRules, wellKnownCheck } from './well-known.ts';

/** Gives the check of a message type, without its rules where a `skip` stands; compiled when first used. */
export type MessageChecks = (name: string, withRules: boolean) => Check;

const ruleKinds = [
  ...['message', 'any', 'repeated', 'map', 'enum', 'duration', 'timestamp', 'string', 'bool', 'bytes'],
  ...['double', 'float', 'int32', 'uint32', 'int64', 'uint64'],
];

/** The check of one field, list or map; `absent` speaks for the field as if it stood outside of a oneof. */
export function fieldCheck(
  fullName: string,
  field: FieldSchema,
  withRules: boolean,
  messages: MessageChecks,
): ValueCheck {
  const rules = (withRules ? field.options?.['(validate.rules)'] : undefined) ?? {};
  const value = compileField(fullName, field, rules, withRules, messages);
  if (!field.options?.['(envoy.annotations.disallowed_by_default)']) return value;
  const check: Check = (_, report) => report.add('disallowed', 'this deprecated field is refused by Envoy');
  return { ...value, check };
}

function compileField(
  fullName: string,
  field: FieldSchema,
  rules: Rules,
  withRules: boolean,
  messages: MessageChecks,
): ValueCheck {
  refuseUnknown(rules, ruleKinds);
  const single = (itemRules: Rules | undefined): ValueCheck =>
    valueCheck(fullName, field.type, itemRules ?? {}, withRules, messages);
  if (field.keyType !== undefined) {
    const map = rules.map ?? {};
    return mapCheck(scalarCheck(field.keyType, map.keys?.[field.keyType]).check, single(map.values).check, map);
  }
  if (field.rule === 'repeated') return listCheck(single(rules.repeated?.items).check, rules.repeated ?? {});
  const value = single(rules);
  return field.options?.proto3_optional ? { check: value.check } : value;
}

function valueCheck(
  fullName: string,
  type: string,
  rules: Rules,
  withRules: boolean,
  messages: MessageChecks,
): ValueCheck {
  if (isScalar(type)) return scalarCheck(type, rules[type], valueFormat(fullName));
  const name = type.slice(1);
  const required = requiredByRules(rules) ? { absent: 'is required' } : {};
  const known = wellKnownCheck(name, rules);
  if (known !== undefined) return { check: known, ...required };
  const schema = lookupType(name);
  if (isEnum(schema)) return enumCheck(schema, rules.enum);
  refuseUnknown({ ...rules.message, ...rules.any }, ['required', 'skip']);
  // Compiled at first use: types refer to themselves, and most are never met.
  let message: Check | undefined;
  const check: Check = (value, report) => {
    message ??= messages(name, withRules && !rules.message?.skip);
    message(value, report);
    if (name === 'google.protobuf.Any') checkPlace(fullName, value, report);
  };
  return { check, ...required };
}

function checkPlace(fieldName: string, value: unknown, report: Report): void {
  const url = (value as { readonly '@type'?: unknown } | null)?.['@type'];
  const type = typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : '';
  if (!anyTypes.has(type)) return;
  const fault = extensionFault(fieldName, type);
  if (fault !== undefined) report.addAt('@type', 'unknown-type', fault);
}

function listCheck(item: Check, rules: RepeatedRules): ValueCheck {
  refuseUnknown(rules, ['min_items', 'max_items', 'unique', 'items', 'ignore_empty']);
  const rule = countRule(rules.min_items, rules.max_items, rules.ignore_empty);
  const check: Check = (value, report) => {
    if (!Array.isArray(value)) {
      report.add('wrong-type', `found ${nameJsonType(value)}, expected a list`);
      return;
    }
    if (report.isTooDeep()) return;
    applyRule(rule, value.length, report);
    for (let index = 0; index < value.length; index += 1) {
      report.enter(index);
      item(value[index], report);
      report.leave();
    }
    if (rules.unique && new Set(value).size < value.length) report.add('rule-violated', 'must not hold a value twice');
  };
  return { check, ...absentOf(rule, 0) };
}

function mapCheck(checkKey: Check, checkItem: Check, rules: MapRules): ValueCheck {
  refuseUnknown(rules, ['min_pairs', 'max_pairs', 'keys', 'values', 'ignore_empty']);
  const rule = countRule(rules.min_pairs, rules.max_pairs, rules.ignore_empty);
  const check: Check = (value, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report.add('wrong-type', `found ${nameJsonType(value)}, expected an object`);
      return;
    }
    if (report.isTooDeep()) return;
    let count = 0;
    for (const key in value) {
      count += 1;
      report.enterEntry(key);
      checkKey(key, report);
      checkItem((value as Record<string, unknown>)[key], report);
      report.leave();
    }
    applyRule(rule, count, report);
  };
  return { check, ...absentOf(rule, 0) };
}
