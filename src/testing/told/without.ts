import { isMap, LineCounter, parseAllDocuments, parseDocument, stringify } from 'yaml';
import type { DecidingField } from '../../contracts/origins-file.ts';

/** An AuthorizationPolicy and one of its rules. */
export interface NamedRule {
  readonly namespace: string;
  readonly name: string;
  readonly index: number;
}

type Json = Readonly<Record<string, unknown>>;

interface PolicyObject {
  readonly kind?: string;
  readonly metadata?: { readonly namespace?: string; readonly name?: string };
  readonly spec: Json & { readonly rules: readonly Rule[] };
}

interface Rule {
  readonly from?: readonly { readonly source: Json }[];
  readonly to?: readonly { readonly operation: Json }[];
  readonly when?: readonly Json[];
}

/** The rule that Envoy knows by this name; undefined where no policy has it. */
export function namedRule(id: string): NamedRule | undefined {
  const [, namespace, name, index] = /^ns\[(.+?)\]-policy\[(.+?)\]-rule\[(\d+)\]$/.exec(id) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name, index: Number(index) };
}

/** Whether the object of this field stands on its line of a text, and the field there. */
export function standsThere(text: string, { kind, namespace, name, field, line }: DecidingField): boolean {
  const lines = new LineCounter();
  const document = parseAllDocuments(text, { lineCounter: lines }).find(
    (one) =>
      isMap(one.contents) &&
      one.get('kind') === kind &&
      one.getIn(['metadata', 'name']) === name &&
      one.getIn(['metadata', 'namespace']) === namespace,
  );
  const path = field
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  const node = document?.getIn(path, true) as { readonly range?: readonly number[] } | undefined;
  return node?.range !== undefined && lines.linePos(node.range[0] ?? 0).line === line;
}

/** The policies without a rule. */
export function withoutRule(policies: string, rule: NamedRule): string {
  return changed(policies, rule, () => []);
}

/**
 * The policies without one part of a rule that asks for something, in each possible way, and then without two: a part is a
 * field, a condition, or a whole list of choices.
 */
export function* withoutParts(policies: string, rule: NamedRule): Generator<readonly string[]> {
  let rules: readonly Rule[] = [];
  changed(policies, rule, (own) => {
    rules = [own];
    return [own];
  });
  for (let parts = 1; parts <= 3; parts++) {
    rules = rules.flatMap(smaller);
    yield [...new Set(rules.map((other) => changed(policies, rule, () => [other])))];
  }
}

function changed(
  policies: string,
  { namespace, name, index }: NamedRule,
  change: (rule: Rule) => readonly Rule[],
): string {
  const texts = policies.split(/^---\n/m).flatMap((text) => {
    const object = parseDocument(text).toJS() as PolicyObject | null;
    const { metadata } = object ?? {};
    if (object?.kind !== 'AuthorizationPolicy' || metadata?.namespace !== namespace || metadata.name !== name)
      return [text];
    const rules = object.spec.rules.flatMap((one, i) => (i === index ? change(one) : [one]));
    // A policy that denies nothing is an error.
    if (rules.length === 0 && object.spec.action === 'DENY') return [];
    return [stringify({ ...object, spec: { ...object.spec, rules } })];
  });
  return texts.join('---\n');
}

function smaller(rule: Rule): readonly Rule[] {
  const rules: Rule[] = [];
  for (const [list, member] of [
    ['from', 'source'],
    ['to', 'operation'],
  ] as const) {
    const choices = rule[list];
    if (choices === undefined) continue;
    const { [list]: _list, ...rest } = rule;
    rules.push(rest);
    const [only, ...others] = choices as readonly Readonly<Record<string, Json>>[];
    const fields = others.length === 0 ? (only?.[member] ?? {}) : {};
    if (Object.keys(fields).length < 2) continue;
    for (const field of Object.keys(fields)) {
      const { [field]: _field, ...kept } = fields;
      rules.push({ ...rest, [list]: [{ [member]: kept }] });
    }
  }
  rule.when?.forEach((condition, i) => {
    const others = rule.when?.filter((_, at) => at !== i) ?? [];
    const { when: _when, ...rest } = rule;
    rules.push(others.length === 0 ? rest : { ...rest, when: others });
    if (!('values' in condition && 'notValues' in condition)) return;
    const { values: _values, ...withoutValues } = condition;
    const { notValues: _notValues, ...withoutNotValues } = condition;
    for (const kept of [withoutValues, withoutNotValues]) rules.push({ ...rest, when: [...others, kept] });
  });
  return rules;
}
