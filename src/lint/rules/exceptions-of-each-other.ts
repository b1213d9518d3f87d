import { canonicalBlock } from '../../compiler/topology/address.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy, AuthorizationRule } from '../../policy/authorization-policy.ts';
import { BlockCover } from '../authorization/block-cover.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Entries of a list, and rules of a policy, are alternatives: what one excepts, the other one takes. */
export const rule: Rule = {
  code: 'exceptions-of-each-other',
  id: 'MP333',
  severity: 'warning',
  category: 'authorization',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'alternatives whose exceptions cancel each other out',
  why: 'a request needs to match one of the alternatives only, and what one of them excepts, the other one matches: together they match everything',
  hint: 'write all exceptions into one entry',
  check({ snapshot, report }) {
    for (const policy of snapshot.policies.authorizationPolicies) {
      for (const [first, second] of alternativesOf(policy)) {
        const values = [...first.values, ...second.values].map((value) => `"${value}"`).join(', ');
        report({
          ...{ object: policy, path: second.path, part: 'key' },
          message: `what "${first.field}" excepts here, the other ${first.what} matches, and the other way round: together they match everything`,
          why: whyOf[policy.spec.action ?? 'ALLOW'],
          hint: `write one ${first.what} with ${first.field}: [${values}]`,
          related: [{ object: policy, path: first.path, part: 'key', message: `the other ${first.what}` }],
        });
      }
    }
  },
};

const whyOf: Readonly<Record<string, string>> = {
  ALLOW: 'a request needs to match one of the alternatives only: the ALLOW policy leaves out nobody',
  DENY: 'a request needs to match one of the alternatives only: the DENY policy refuses everybody, also those that it was to spare',
};

/** One entry that holds for everything but its exceptions. */
interface Exception {
  readonly field: string;
  readonly values: readonly string[];
  readonly path: JsonPath;
  readonly what: string;
}

/** Pairs that except nothing together: within the sources and operations of each rule, and among rules. */
function alternativesOf(policy: AuthorizationPolicy): readonly (readonly [Exception, Exception])[] {
  if ((policy.spec.rules ?? []).every(isWithoutException)) return [];
  const found: (readonly [Exception, Exception])[] = [];
  const byRest = new Map<string, Exception[]>();
  for (const { rule: own, path } of rulesOf([policy])) {
    const { from = [], to = [], when = [] } = own;
    const sources = from.flatMap(({ source }, i) => exceptionOf(source, [...path, 'from', i, 'source'], 'source'));
    const operations = to.flatMap(({ operation }, i) =>
      exceptionOf(operation, [...path, 'to', i, 'operation'], 'operation'),
    );
    found.push(...firstPair(sources), ...firstPair(operations));
    const [source] = from.length === 1 ? sources : [];
    if (source === undefined) continue;
    const key = JSON.stringify([to, when]);
    byRest.set(key, [...(byRest.get(key) ?? []), { ...source, what: 'rule' }]);
  }
  for (const alike of byRest.values()) found.push(...firstPair(alike));
  return found;
}

function isWithoutException({ from = [], to = [] }: AuthorizationRule): boolean {
  const hasNone = (fields: object): boolean => !Object.keys(fields).some((name) => /^not[A-Z]/.test(name));
  return from.every(({ source }) => hasNone(source)) && to.every(({ operation }) => hasNone(operation));
}

function exceptionOf(fields: object, path: JsonPath, what: string): readonly Exception[] {
  const [[field, values] = ['', []], ...others] = Object.entries(fields) as [string, readonly string[]][];
  return others.length === 0 && /^not[A-Z]/.test(field) ? [{ field, values, path: [...path, field], what }] : [];
}

/** The first two with nothing in common: one finding says it for the whole list. */
function firstPair(exceptions: readonly Exception[]): readonly (readonly [Exception, Exception])[] {
  for (const [i, first] of exceptions.entries()) {
    const second = exceptions
      .slice(i + 1, i + 1 + mostCompared)
      .find((it) => it.field === first.field && areApart(it, first));
    if (second !== undefined) return [[first, second]];
  }
  return [];
}

/** A list of thousands is no slip of this kind. */
const mostCompared = 50;

function areApart(one: Exception, other: Exception): boolean {
  const mayMeet = /IpBlocks$/.test(one.field) ? blocksMeet : textsMeet;
  return one.values.every((a) => other.values.every((b) => !mayMeet(a, b)));
}

/** Whether an address may be in both; of what is no block that is not known. */
function blocksMeet(a: string, b: string): boolean {
  if (canonicalBlock(a) === undefined || canonicalBlock(b) === undefined) return true;
  const contains = (outer: string, inner: string): boolean => {
    const cover = new BlockCover();
    cover.add(outer, 0);
    return cover.around(inner) !== undefined;
  };
  return contains(a, b) || contains(b, a);
}

/** Whether a text may match both; templates of paths, and names without case, may meet in ways that are not looked at. */
function textsMeet(a: string, b: string): boolean {
  if ([a, b].some((text) => text.includes('{'))) return true;
  const [one, other] = [a.toLowerCase(), b.toLowerCase()];
  if (one.startsWith('*') || other.startsWith('*')) {
    const [end, whole] = one.startsWith('*') ? [one.slice(1), other] : [other.slice(1), one];
    return whole.startsWith('*') || whole.endsWith('*') || whole.endsWith(end);
  }
  if (one.endsWith('*') && other.endsWith('*')) {
    const [short = '', long = ''] = [one.slice(0, -1), other.slice(0, -1)].sort((x, y) => x.length - y.length);
    return long.startsWith(short);
  }
  if (one.endsWith('*')) return other.startsWith(one.slice(0, -1));
  return other.endsWith('*') ? one.startsWith(other.slice(0, -1)) : one === other;
}
