import { whyIdle } from '../authorization/idle-value.ts';
import { type PlacedValue, placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/**
 * Another rule reports paths. Values of methods, hosts, namespaces, ports and addresses are checked when they are read.
 */
const fields =
  /^((p|notP)rincipals|(r|notR)equestPrincipals|request\.headers\[.*|request\.auth\..*|source\.principal|connection\.sni)$/;

/** Values of access rules are texts, with a star at one end at most. */
export const rule: Rule = {
  code: 'expression-as-value',
  id: 'MP423',
  severity: 'warning',
  category: 'matching',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a regular expression as a value of an access rule',
  why: 'values are no regular expressions: they are compared letter by letter, except for a star at the beginning or end, so a DENY rule does not deny what is meant, and an ALLOW rule does not allow it',
  hint: 'list the values, with a star at the beginning or the end for any text',
  outranks: ['principal-of-no-identity', 'untrusted-domain'],
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      for (const placed of placedValues(at, fields)) {
        if (!isExpression(placed.value)) continue;
        const plain = plainFormOf(placed.value);
        report({
          ...{ object: at.policy, path: placed.path },
          message: `"${placed.value}" is compared letter by letter, and looks like a regular expression`,
          why: whyOf(at.policy, placed),
          hint: plain === undefined ? undefined : `write "${plain}"`,
        });
      }
    }
  },
};

/** Signs that only expressions have: a name, a host or a version may well end in ".*" or contain a dollar sign. */
function isExpression(value: string): boolean {
  return /^\^|[^$]\$$|[/-]\.[*+]$|\.[*+].|\\[.dws]|\[[^\]]*-[^\]]*\][*+{]|\([^)]*\|[^)]*\)/.test(value);
}

function whyOf(policy: Parameters<typeof whyIdle>[0], { value, isNegated }: PlacedValue): string {
  const [part, text] = value.startsWith('*') ? ['end', value.slice(1)] : ['begin', value.replace(/\*$/, '')];
  const reason = 'values are no regular expressions';
  if (text === value) return whyIdle(policy, isNegated, `${reason}, and hardly any request has this one`);
  const does = isNegated ? 'the rule excepts' : 'the rule matches';
  return `${reason}, only a star at an end stands for any text: ${does} only what ${part}s with "${text}"`;
}

/** The expression as a value with a star at one end; undefined if no such value means the same. */
function plainFormOf(expression: string): string | undefined {
  const text = expression
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replace(/^\.[*+]/, '*')
    .replace(/\.[*+]$/, '*')
    .replaceAll(/\\([./-])/g, '$1');
  const isOpen = expression.startsWith('^') && !/[$*+]$/.test(expression);
  const plain = isOpen ? `${text}*` : text;
  const isSaid = plain !== '*' && !isExpression(plain) && !/^\*.*\*$/.test(plain) && !plain.slice(1, -1).includes('*');
  return isSaid ? plain : undefined;
}
