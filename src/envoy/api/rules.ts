/** Rules of protoc-gen-validate as the schema holds them, one member a kind of value. */
export interface Rules {
  readonly message?: { readonly required?: boolean; readonly skip?: boolean };
  readonly any?: { readonly required?: boolean; readonly in?: readonly string[]; readonly not_in?: readonly string[] };
  readonly repeated?: RepeatedRules;
  readonly map?: MapRules;
  readonly [kind: string]: object | undefined;
}

export interface RepeatedRules {
  readonly min_items?: number;
  readonly max_items?: number;
  readonly unique?: boolean;
  readonly items?: Rules;
  readonly ignore_empty?: boolean;
}

export interface MapRules {
  readonly min_pairs?: number;
  readonly max_pairs?: number;
  readonly keys?: Rules;
  readonly values?: Rules;
  readonly ignore_empty?: boolean;
}

/** Says what is expected when a value breaks the rule ("must be at least 1"), else undefined. */
export type Rule<T> = (value: T) => string | undefined;

interface Bounds<T> {
  readonly const?: T;
  readonly lt?: T;
  readonly lte?: T;
  readonly gt?: T;
  readonly gte?: T;
  readonly in?: readonly T[];
  readonly not_in?: readonly T[];
  readonly ignore_empty?: boolean;
}

/** protoc-gen-validate's numeric rules; a lower bound above the upper one means "outside of", as its C++ has it. */
export function numberRule(rules: object | undefined): Rule<number> | undefined {
  if (rules === undefined) return undefined;
  refuseUnknown(rules, ['const', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'ignore_empty']);
  const bounds = rules as Bounds<number>;
  const rule = all<number>([
    rangeRule(bounds, String),
    bounds.const !== undefined
      ? (value) => (value === bounds.const ? undefined : `must be ${bounds.const}`)
      : undefined,
    memberRule(bounds.in, bounds.not_in),
  ]);
  return bounds.ignore_empty && rule ? (value) => (value === 0 ? undefined : rule(value)) : rule;
}

interface ProtoDuration {
  readonly seconds?: number;
  readonly nanos?: number;
}

/** Rules of a duration; the rule sees nanoseconds, so that both sides are rounded alike. */
export function durationRule(rules: object | undefined): Rule<number> | undefined {
  if (rules === undefined) return undefined;
  refuseUnknown(rules, ['required', 'lt', 'lte', 'gt', 'gte']);
  const bounds: Record<string, number> = {};
  for (const [name, bound] of Object.entries(rules as Record<string, ProtoDuration | boolean>)) {
    if (typeof bound === 'object') bounds[name] = (bound.seconds ?? 0) * 1e9 + (bound.nanos ?? 0);
  }
  return rangeRule(bounds, (nanoseconds) => `${nanoseconds / 1e9}s`);
}

/** `bool.const`. */
export function boolRule(rules: object | undefined): Rule<boolean> | undefined {
  if (rules === undefined) return undefined;
  refuseUnknown(rules, ['const']);
  const { const: wanted } = rules as Bounds<boolean>;
  return (value) => (value === wanted ? undefined : `must be ${wanted}`);
}

/** Rules of an enum, on the value's number; `defined` are the numbers that the enum names. */
export function enumRule(rules: object | undefined, defined: ReadonlySet<number>): Rule<number> | undefined {
  if (rules === undefined) return undefined;
  refuseUnknown(rules, ['const', 'defined_only', 'in', 'not_in']);
  const { defined_only: definedOnly, ...bounds } = rules as Bounds<number> & { readonly defined_only?: boolean };
  return all<number>([
    definedOnly ? (value) => (defined.has(value) ? undefined : 'must be one of the named values') : undefined,
    numberRule(bounds),
  ]);
}

/** `min_items`, `max_items`, `min_pairs`, `max_pairs`, on the count. */
export function countRule(minimum = 0, maximum = Number.POSITIVE_INFINITY, ignoreEmpty = false): Rule<number> {
  return (count) => {
    if (count === 0 && ignoreEmpty) return undefined;
    if (count < minimum) return `must have at least ${minimum}, has ${count}`;
    return count > maximum ? `must have at most ${maximum}, has ${count}` : undefined;
  };
}

/** One rule of several, or none; the first that is broken speaks. */
export function all<T>(candidates: readonly (Rule<T> | undefined)[]): Rule<T> | undefined {
  const rules = candidates.filter((rule) => rule !== undefined);
  const [first] = rules;
  if (rules.length < 2) return first;
  return (value) => {
    for (const rule of rules) {
      const fault = rule(value);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** The rules `in` and `not_in` of a field in the schema; undefined if it has neither. */
export function memberRule<T>(allowed?: readonly T[], forbidden?: readonly T[]): Rule<T> | undefined {
  return all<T>([
    allowed && ((value) => (allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`)),
    forbidden && ((value) => (forbidden.includes(value) ? `must not be ${forbidden.join(' or ')}` : undefined)),
  ]);
}

/** A kind of rule that this checker does not know would be a hole in it: the schema is refused when it is compiled. */
export function refuseUnknown(rules: object, known: readonly string[]): void {
  for (const name of Object.keys(rules)) {
    if (!known.includes(name)) throw new Error(`the schema has a rule that the checker does not know: ${name}`);
  }
}

function rangeRule(bounds: Bounds<number>, format: (bound: number) => string): Rule<number> | undefined {
  const { lt, lte, gt, gte } = bounds;
  const upper = lt ?? lte;
  const lower = gt ?? gte;
  const below = (value: number): boolean => (lt !== undefined ? value < lt : value <= (lte ?? 0));
  const above = (value: number): boolean => (gt !== undefined ? value > gt : value >= (gte ?? 0));
  const upperText = upper === undefined ? '' : `${lt !== undefined ? 'less than' : 'at most'} ${format(upper)}`;
  const lowerText = lower === undefined ? '' : `${gt !== undefined ? 'more than' : 'at least'} ${format(lower)}`;
  if (upper === undefined)
    return lower === undefined ? undefined : (value) => (above(value) ? undefined : `must be ${lowerText}`);
  if (lower === undefined) return (value) => (below(value) ? undefined : `must be ${upperText}`);
  if (lower > upper) {
    return (value) => (below(value) || above(value) ? undefined : `must be ${upperText} or ${lowerText}`);
  }
  return (value) => (below(value) && above(value) ? undefined : `must be ${lowerText} and ${upperText}`);
}
