import { lookup } from '../../lib/lookup.ts';
import { type Check, nameJsonType, type Report } from './report.ts';
import { all, boolRule, numberRule, type Rule } from './rules.ts';
import { bytesRule, stringRule } from './string-rule.ts';

/** A check, and what an absent value (protobuf's default: zero, empty) does to its rules. */
export interface ValueCheck {
  readonly check: Check;
  /** What the rules say to an absent field outside of a oneof; undefined when they are content. */
  readonly absent?: string;
}

/** Whether a field's type is a scalar of protobuf's. */
export function isScalar(type: string): boolean {
  return type in scalars;
}

/** ProtoJSON's form of a scalar and its rules; `format` is what Envoy asks beyond them (a regular expression, say). */
export function scalarCheck(type: string, rules: object | undefined, format?: Rule<string>): ValueCheck {
  const compile = scalars[type];
  if (compile === undefined) throw new Error(`the schema has a scalar that the checker does not know: ${type}`);
  return compile(rules, format);
}

type Compile = (rules: object | undefined, format?: Rule<string>) => ValueCheck;

const scalars: Readonly<Record<string, Compile>> = {
  string: stringCheck,
  bool: boolCheck,
  bytes: bytesCheck,
  double: floatCheck,
  float: floatCheck,
  int32: (rules) => integerCheck('int32', -(2 ** 31), 2 ** 31 - 1, rules),
  uint32: (rules) => integerCheck('uint32', 0, 2 ** 32 - 1, rules),
  int64: (rules) => bigIntegerCheck('int64', -(2n ** 63n), 2n ** 63n - 1n, rules),
  uint64: (rules) => bigIntegerCheck('uint64', 0n, 2n ** 64n - 1n, rules),
};

/** Reports what a rule says about a value; the name of the field is in the path. */
export function applyRule<T>(rule: Rule<T> | undefined, value: T, report: Report): void {
  const fault = rule?.(value);
  if (fault !== undefined) report.add('rule-violated', fault);
}

/** Spreads into a ValueCheck: the rule's word on the default value, when it has one. */
export function absentOf<T>(rule: Rule<T> | undefined, defaultValue: T): { readonly absent?: string } {
  const fault = rule?.(defaultValue);
  return fault === undefined ? {} : { absent: fault };
}

function wrongType(value: unknown, expected: string, report: Report, hint?: string): void {
  report.add('wrong-type', `found ${nameJsonType(value)}, expected ${expected}`, hint);
}

/** ES2024's method, which the language level of this project does not declare yet. */
type WellFormedString = string & { isWellFormed(): boolean };

/** Half of a surrogate pair has no UTF-8 form. */
export function checkUnicode(text: string, report: Report): boolean {
  if ((text as WellFormedString).isWellFormed()) return true;
  report.add('bad-value', 'has half of a surrogate pair');
  return false;
}

function stringCheck(rules: object | undefined, format?: Rule<string>): ValueCheck {
  const rule = stringRule(rules);
  const both = all<string>([rule, format]);
  const check: Check = (value, report) => {
    if (typeof value !== 'string') wrongType(value, 'a string', report);
    else if (checkUnicode(value, report) && both !== undefined) applyRule(both, value, report);
  };
  return { check, ...absentOf(rule, '') };
}

function boolCheck(rules: object | undefined): ValueCheck {
  const rule = boolRule(rules);
  const check: Check = (value, report) => {
    if (typeof value !== 'boolean') wrongType(value, 'true or false', report);
    else if (rule !== undefined) applyRule(rule, value, report);
  };
  return { check, ...absentOf(rule, false) };
}

const base64 = /^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$/;

function bytesCheck(rules: object | undefined): ValueCheck {
  const rule = bytesRule(rules);
  const check: Check = (value, report) => {
    if (typeof value !== 'string') wrongType(value, 'base64 text', report);
    else if (!base64.test(value)) report.add('bad-value', 'is not base64');
    else applyRule(rule, Math.floor((value.replace(/=+$/, '').length * 3) / 4), report);
  };
  return { check, ...absentOf(rule, 0) };
}

/** A number that stands in a string. */
export const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const specialNumbers: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function floatCheck(rules: object | undefined): ValueCheck {
  const rule = numberRule(rules);
  const check: Check = (value, report) => {
    const special = typeof value === 'string' ? lookup(specialNumbers, value) : undefined;
    const number = special ?? (typeof value === 'string' && decimal.test(value) ? Number(value) : value);
    if (typeof number !== 'number') wrongType(value, 'a number', report);
    // JSON has no form of it: it would be written as null, which is no value at all.
    else if (special === undefined && !Number.isFinite(number)) report.add('bad-value', 'is too large for a number');
    else applyRule(rule, number, report);
  };
  return { check, ...absentOf(rule, 0) };
}

function integerCheck(type: string, lowest: number, highest: number, rules: object | undefined): ValueCheck {
  const rule = numberRule(rules);
  const check: Check = (value, report) => {
    let number = value;
    if (typeof value === 'string' && decimal.test(value)) number = Number(value);
    if (typeof number !== 'number') wrongType(value, `a number (${type})`, report);
    else if (!Number.isInteger(number)) report.add('bad-value', `found ${number}, expected a whole number`);
    else if (number < lowest || number > highest) report.add('bad-value', `${number} does not fit into ${type}`);
    else if (rule !== undefined) applyRule(rule, number, report);
  };
  return { check, ...absentOf(rule, 0) };
}

const whole = /^-?(?:0|[1-9]\d*)$/;

function bigIntegerCheck(type: string, lowest: bigint, highest: bigint, rules: object | undefined): ValueCheck {
  const rule = numberRule(rules);
  const check: Check = (value, report) => {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      const problem = Number.isInteger(value) ? 'has lost digits' : 'is not a whole number';
      report.add('bad-value', `the number ${problem}, expected ${type}`, 'write large whole numbers as a string');
      return;
    }
    if (typeof value === 'string' && !whole.test(value) && decimal.test(value)) {
      // "1e3" and "1.0" are legal forms; they are exact as long as a number is.
      check(Number(value), report);
      return;
    }
    if (typeof value !== 'number' && !(typeof value === 'string' && whole.test(value))) {
      wrongType(value, `a number (${type})`, report);
      return;
    }
    const number = BigInt(value);
    if (number < lowest || number > highest) report.add('bad-value', `${number} does not fit into ${type}`);
    else if (rule !== undefined) applyRule(rule, Number(number), report);
  };
  return { check, ...absentOf(rule, 0) };
}
