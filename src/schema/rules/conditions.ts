import type { JsonPath } from '../../diagnostics/span.ts';
import { lookup } from '../../lib/lookup.ts';
import { nearest } from '../../lib/nearest.ts';
import type { AuthorizationPolicy, Condition } from '../../policy/authorization-policy.ts';
import { formats } from '../formats.ts';
import type { Report } from '../rule.ts';

/** What the values of a condition are; `named` keys have the form `key[name]`. */
interface Attribute {
  readonly format?: 'ip-block' | 'port-text' | 'service-account' | 'trust-domain-pattern';
  readonly isNamed?: boolean;
  /** About identities, which a custom provider is asked before. */
  readonly isIdentity?: boolean;
}

const attributes: Readonly<Record<string, Attribute>> = {
  'request.headers': { isNamed: true },
  'request.auth.principal': { isIdentity: true },
  'request.auth.audiences': { isIdentity: true },
  'request.auth.presenter': { isIdentity: true },
  'request.auth.claims': { isNamed: true, isIdentity: true },
  'source.ip': { format: 'ip-block' },
  'remote.ip': { format: 'ip-block' },
  'source.namespace': { isIdentity: true },
  'source.principal': { isIdentity: true },
  'source.serviceAccount': { format: 'service-account', isIdentity: true },
  'source.trustDomain': { format: 'trust-domain-pattern', isIdentity: true },
  'destination.ip': { format: 'ip-block' },
  'destination.port': { format: 'port-text' },
  'connection.sni': {},
};

const named = Object.keys(attributes).filter((name) => attributes[name]?.isNamed);
const escaped = (names: readonly string[]): string => names.map((name) => name.replaceAll('.', '\\.')).join('|');

/** An expression that every key of a condition fulfils, also for RE2. */
export const conditionKeyPattern = `^(?:${escaped(Object.keys(attributes).filter((name) => !named.includes(name)))}|(?:${escaped(named)}|experimental\\.envoy\\.filters\\.[^[]*)\\[.+\\])$`;

/** Keys that older versions had, with what to use in their place. */
const replaced: Readonly<Record<string, string>> = {
  'destination.namespace': 'use "metadata.namespace"',
  'destination.labels': 'use "selector"',
  'destination.name': 'use "selector"',
  'destination.user':
    'name the workloads of that account by "selector": without the condition the rule holds for all that the policy selects',
};

/** Each `when` entry has a key that exists, and values that it can have. */
export function checkConditions({ spec }: AuthorizationPolicy, report: Report): void {
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    for (const [j, condition] of (rule.when ?? []).entries()) {
      checkCondition(condition, spec.action === 'CUSTOM', ['spec', 'rules', i, 'when', j], report);
    }
  }
}

function checkCondition(condition: Condition, isCustom: boolean, path: JsonPath, report: Report): void {
  const { key } = condition;
  const [, base = key, name] = /^([^[]*)\[(.*)\]$/.exec(key) ?? [];
  const hint = lookup(replaced, base);
  if (hint !== undefined) {
    report('unsupported-condition-key', [...path, 'key'], { key }, { hint });
    return;
  }
  const attribute = attributeOf(base);
  if (attribute === undefined || (name !== undefined && !attribute.isNamed)) {
    report('unknown-condition-key', [...path, 'key'], { key }, { hint: hintFor(base, key.slice(base.length)) });
    return;
  }
  if (base === 'request.headers' && name?.toLowerCase() === ':path') {
    // It would be compared with the query and as it was spelled: "?" passes what denies it.
    report('unsupported-condition-key', [...path, 'key'], { key }, { hint: 'use "paths" of an operation' });
  }
  // Without a name, or with an empty one in a list such as `[a][]`.
  if (attribute.isNamed && (!name || name.split('][').includes('')))
    report('condition-without-name', [...path, 'key'], { key });
  if (isCustom && attribute.isIdentity) report('unsupported-with-custom', [...path, 'key'], { field: key });
  if (attribute.format !== undefined) checkValues(condition, attribute.format, path, report);
}

/** A key that can be used in place of one that does not exist; `brackets` is what follows the base. */
function hintFor(base: string, brackets: string): string | undefined {
  const dotted = Object.keys(attributes).find((name) => attributes[name]?.isNamed && base.startsWith(`${name}.`));
  if (dotted !== undefined) {
    const rest = base.slice(dotted.length + 1);
    // A claim may be inside another one; the name of a header may have dots.
    const names = dotted === 'request.headers' ? [rest] : rest.split('.');
    return `write "${dotted}${names.map((name) => `[${name || '<name>'}]`).join('')}${brackets}"`;
  }
  const near = nearest(base, Object.keys(attributes));
  if (near === undefined) return undefined;
  const names = /^(\[[^\][]+\])+$/.test(brackets) ? brackets : '[<name>]';
  return `did you mean "${near}${attributes[near]?.isNamed ? names : ''}"?`;
}

function attributeOf(base: string): Attribute | undefined {
  if (base.startsWith('experimental.envoy.filters.')) return { isNamed: true };
  return lookup(attributes, base);
}

function checkValues(condition: Condition, name: string, path: JsonPath, report: Report): void {
  const format = formats[name];
  for (const field of ['values', 'notValues'] as const) {
    for (const [i, value] of (condition[field] ?? []).entries()) {
      const code = format?.faultOf(value);
      if (format === undefined || code === undefined) continue;
      report(code, [...path, field, i], { field: `${field}[${i}]`, value, expected: format.expected });
    }
  }
}
