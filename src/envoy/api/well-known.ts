import { type Check, nameJsonType, type Report } from './report.ts';
import { durationRule, type Rules, refuseUnknown } from './rules.ts';
import { applyRule, checkUnicode, scalarCheck } from './scalar.ts';

/** protobuf's well-known types with a JSON form of their own, but for Any; undefined for every other type. */
export function wellKnownCheck(name: string, rules: Rules): Check | undefined {
  const scalar = wrappers[name];
  if (scalar !== undefined) return scalarCheck(scalar, rules[scalar]).check;
  if (name === 'google.protobuf.Duration') return durationCheck(rules.duration);
  if (name === 'google.protobuf.Timestamp') return timestampCheck(rules.timestamp);
  return others[name];
}

/** A wrapper's scalar: `google.protobuf.UInt32Value` is written as a bare number. */
export const wrappers: Readonly<Record<string, string>> = {
  'google.protobuf.BoolValue': 'bool',
  'google.protobuf.BytesValue': 'bytes',
  'google.protobuf.DoubleValue': 'double',
  'google.protobuf.FloatValue': 'float',
  'google.protobuf.Int32Value': 'int32',
  'google.protobuf.Int64Value': 'int64',
  'google.protobuf.StringValue': 'string',
  'google.protobuf.UInt32Value': 'uint32',
  'google.protobuf.UInt64Value': 'uint64',
};

const others: Readonly<Record<string, Check>> = {
  'google.protobuf.Value': checkAnyJson,
  'google.protobuf.Struct': (value, report) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) checkAnyJson(value, report);
    else report.add('wrong-type', `found ${nameJsonType(value)}, expected an object`);
  },
  'google.protobuf.ListValue': (value, report) => {
    if (Array.isArray(value)) checkAnyJson(value, report);
    else report.add('wrong-type', `found ${nameJsonType(value)}, expected a list`);
  },
};

/** Any JSON is legal here, as long as the parser can hold it. */
function checkAnyJson(value: unknown, report: Report): void {
  if (typeof value === 'string') checkUnicode(value, report);
  if (typeof value === 'number' && !Number.isFinite(value)) report.add('bad-value', 'the number is too large');
  if (typeof value !== 'object' || value === null || report.isTooDeep()) return;
  for (const [key, item] of Object.entries(value)) {
    report.enterEntry(key);
    checkAnyJson(item, report);
    report.leave();
  }
}

const durationForm = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
// Envoy refuses a duration that its 64-bit nanoseconds cannot hold (MessageUtil::validateDurationFields), and a negative one.
const longestSeconds = 9_223_372_035;

function durationCheck(rules: object | undefined): Check {
  const rule = durationRule(rules);
  return (value, report) => {
    if (typeof value !== 'string') {
      report.add('wrong-type', `found ${nameJsonType(value)}, expected a duration`, 'write seconds: "1.5s"');
      return;
    }
    const [, sign, seconds, fraction = ''] = durationForm.exec(value) ?? [];
    if (seconds === undefined) {
      report.add('bad-value', `found "${value}", expected a duration in seconds`, 'write seconds: "1.5s"');
      return;
    }
    const nanoseconds = Number(seconds) * 1e9 + (fraction === '' ? 0 : Number(fraction.padEnd(9, '0')));
    if (sign === '-' && nanoseconds > 0)
      report.add('bad-value', `found "${value}", expected a duration that is not negative`);
    else if (Number(seconds) > longestSeconds)
      report.add('bad-value', `found "${value}", expected at most ${longestSeconds}s`);
    else applyRule(rule, nanoseconds, report);
  };
}

const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function timestampCheck(rules: object | undefined): Check {
  refuseUnknown(rules ?? {}, ['required']);
  return (value, report) => {
    if (typeof value === 'string' && timestampForm.test(value) && !Number.isNaN(Date.parse(value))) return;
    report.add(
      'bad-value',
      `found ${nameJsonType(value)}, expected a timestamp`,
      'write RFC 3339: "2030-01-31T00:00:00Z"',
    );
  };
}

/** What the rules of a message-like field say when it is absent. */
export function requiredByRules(rules: Rules): boolean {
  for (const kind of ['message', 'any', 'duration', 'timestamp']) {
    if ((rules[kind] as { readonly required?: boolean } | undefined)?.required) return true;
  }
  return false;
}
