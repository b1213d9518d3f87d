import type { Rules } from '../rules.ts';

/** A value that breaks one rule of a field; undefined stands for the field's absence. */
export interface Breach {
  /** As in the API's own notation, `string.min_len`. */
  readonly rule: string;
  readonly wrong: unknown;
}

/** A value for each rule of the field that breaks it, made from the good value. */
export function* breakRule(rules: Rules, value: unknown): Generator<Breach> {
  for (const [kind, members] of Object.entries(rules)) {
    for (const [rule, bound] of Object.entries(members ?? {})) {
      const wrong = breachOf(kind, rule, bound, value);
      if (wrong !== undefined) yield { rule: `${kind}.${rule}`, wrong: wrong === absent ? undefined : wrong };
    }
  }
}

const absent = Symbol('absent');

function breachOf(kind: string, rule: string, bound: unknown, value: unknown): unknown {
  if (rule === 'required') return absent;
  if (kind === 'string') return wrongString(rule, bound);
  if (kind === 'repeated' || kind === 'map') return wrongCollection(rule, bound, value);
  if (kind === 'duration') return wrongDuration(rule, bound as { readonly seconds?: number; readonly nanos?: number });
  if (kind === 'enum') return rule === 'defined_only' ? 9999 : undefined;
  if (kind === 'bool') return !(bound as boolean);
  return typeof bound === 'number' ? wrongNumber(kind, rule, bound) : undefined;
}

function wrongString(rule: string, bound: unknown): unknown {
  switch (rule) {
    case 'min_len':
      return '';
    case 'max_len':
    case 'max_bytes':
      return `/${'x'.repeat(Number(bound))}`;
    case 'well_known_regex':
      return 'a\nb';
    case 'pattern':
      return 'a b?c';
    case 'in':
      return 'no such value';
    default:
      return undefined;
  }
}

function wrongCollection(rule: string, bound: unknown, value: unknown): unknown {
  if (rule === 'min_items') return [];
  if (rule === 'min_pairs') return {};
  if (rule === 'max_items') return Array.from({ length: Number(bound) + 1 }, () => (value as unknown[])[0]);
  if (rule === 'unique') return [...(value as unknown[]), (value as unknown[])[0]];
  if (rule !== 'items') return undefined;
  const [breach] = breakRule(bound as Rules, (value as unknown[])[0]);
  return breach === undefined ? undefined : [breach.wrong];
}

function wrongDuration(
  rule: string,
  { seconds = 0, nanos = 0 }: { readonly seconds?: number; readonly nanos?: number },
): unknown {
  const time = seconds * 1000 + nanos / 1e6;
  // A bound of zero would be broken by a negative duration only, which is wrong for another reason.
  if (rule === 'gt' || rule === 'lt') return `${time / 1000}s`;
  if (rule === 'gte') return time === 0 ? undefined : `${(time - 1) / 1000}s`;
  return rule === 'lte' ? `${(time + 1) / 1000}s` : undefined;
}

function wrongNumber(kind: string, rule: string, bound: number): unknown {
  const step = kind === 'double' || kind === 'float' ? 0.5 : 1;
  if (rule === 'gt' || rule === 'lt') return bound;
  // Below zero, an unsigned number is wrong for another reason.
  if (rule === 'gte') return bound - step < 0 && kind.startsWith('u') ? undefined : bound - step;
  return rule === 'lte' ? bound + step : undefined;
}
