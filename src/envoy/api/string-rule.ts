import { utf8Length } from '../../lib/utf8.ts';
import { all, memberRule, type Rule, refuseUnknown } from './rules.ts';

interface StringRules {
  readonly const?: string;
  readonly len?: number;
  readonly min_len?: number;
  readonly max_len?: number;
  readonly min_bytes?: number;
  readonly max_bytes?: number;
  readonly pattern?: string;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly contains?: string;
  readonly not_contains?: string;
  readonly in?: readonly string[];
  readonly not_in?: readonly string[];
  readonly well_known_regex?: 'HTTP_HEADER_NAME' | 'HTTP_HEADER_VALUE';
  readonly strict?: boolean;
  readonly ignore_empty?: boolean;
}

const knownRules = [
  ...['const', 'len', 'min_len', 'max_len', 'min_bytes', 'max_bytes', 'pattern', 'prefix', 'suffix', 'contains'],
  ...['not_contains', 'in', 'not_in', 'well_known_regex', 'strict', 'ignore_empty'],
];

/** protoc-gen-validate's rules of a string, with the meaning of its C++ code (lengths in code points, patterns anchored). */
export function stringRule(rules: object | undefined): Rule<string> | undefined {
  if (rules === undefined) return undefined;
  refuseUnknown(rules, knownRules);
  const known = rules as StringRules;
  const rule = all<string>([
    lengthRule(known.len ?? known.min_len, known.len ?? known.max_len),
    byteLengthRule(known.min_bytes, known.max_bytes),
    known.const !== undefined ? memberRule([known.const]) : undefined,
    memberRule(known.in, known.not_in),
    affixRule(known),
    known.pattern !== undefined ? patternRule(known.pattern) : undefined,
    known.well_known_regex !== undefined ? headerRule(known.well_known_regex, known.strict ?? true) : undefined,
  ]);
  return known.ignore_empty && rule ? (value) => (value === '' ? undefined : rule(value)) : rule;
}

/** `bytes.min_len`, `bytes.max_len`, on the number of decoded bytes. */
export function bytesRule(rules: object | undefined): Rule<number> | undefined {
  if (rules === undefined) return undefined;
  refuseUnknown(rules, ['min_len', 'max_len']);
  const { min_len: minimum = 0, max_len: maximum = Number.POSITIVE_INFINITY } = rules as StringRules;
  return (bytes) => (bytes >= minimum && bytes <= maximum ? undefined : rangeText(minimum, maximum, 'bytes'));
}

function lengthRule(minimum = 0, maximum = Number.POSITIVE_INFINITY): Rule<string> | undefined {
  if (minimum === 0 && maximum === Number.POSITIVE_INFINITY) return undefined;
  const fault =
    minimum === 1 && maximum === Number.POSITIVE_INFINITY
      ? 'must not be empty'
      : rangeText(minimum, maximum, 'characters');
  return (value) => {
    // A code point has one or two code units, so most strings need no count.
    if (value.length >= minimum * 2 - 1 && value.length <= maximum) return undefined;
    const length = [...value].length;
    return length >= minimum && length <= maximum ? undefined : fault;
  };
}

function byteLengthRule(minimum = 0, maximum = Number.POSITIVE_INFINITY): Rule<string> | undefined {
  if (minimum === 0 && maximum === Number.POSITIVE_INFINITY) return undefined;
  return (value) => {
    if (value.length >= minimum && value.length * 3 <= maximum) return undefined;
    const bytes = utf8Length(value);
    return bytes >= minimum && bytes <= maximum ? undefined : rangeText(minimum, maximum, 'bytes');
  };
}

function rangeText(minimum: number, maximum: number, unit: string): string {
  if (maximum === Number.POSITIVE_INFINITY) return `must have at least ${minimum} ${unit}`;
  return minimum === 0 ? `must have at most ${maximum} ${unit}` : `must have ${minimum} to ${maximum} ${unit}`;
}

function affixRule({ prefix, suffix, contains, not_contains: absent }: StringRules): Rule<string> | undefined {
  return all<string>([
    prefix !== undefined
      ? (value) => (value.startsWith(prefix) ? undefined : `must start with "${prefix}"`)
      : undefined,
    suffix !== undefined ? (value) => (value.endsWith(suffix) ? undefined : `must end with "${suffix}"`) : undefined,
    contains !== undefined ? (value) => (value.includes(contains) ? undefined : `must hold "${contains}"`) : undefined,
    absent !== undefined ? (value) => (value.includes(absent) ? `must not hold "${absent}"` : undefined) : undefined,
  ]);
}

/** The C++ code asks RE2 for a full match, and the few patterns of Envoy's API mean the same in JavaScript. */
function patternRule(pattern: string): Rule<string> {
  const regex = new RegExp(`^(?:${pattern})$`, 'su');
  return (value) => (regex.test(value) ? undefined : `must match ${pattern}`);
}

// In protoc-gen-validate's own pattern of header names `+-.` is a range: it allows the comma too.
const headerName = /^:?[0-9a-zA-Z!#$%&'*+-.^_|~`]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const headerValue = /^[^\x00-\x08\x0A-\x1F\x7F]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const looseHeader = /^[^\x00\x0A\x0D]*$/;

function headerRule(kind: 'HTTP_HEADER_NAME' | 'HTTP_HEADER_VALUE', isStrict: boolean): Rule<string> {
  const strict = kind === 'HTTP_HEADER_NAME' ? headerName : headerValue;
  const regex = isStrict ? strict : looseHeader;
  const fault =
    kind === 'HTTP_HEADER_NAME' ? 'must be the name of an HTTP header' : 'must be the value of an HTTP header';
  return (value) => (regex.test(value) ? undefined : fault);
}
