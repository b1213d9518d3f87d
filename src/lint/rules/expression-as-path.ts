import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { hasInnerStar, isExpression } from '../authorization/path-expression.ts';
import { operationValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Paths are compared letter by letter, but for a star at an end and templates. */
export const rule: Rule = {
  code: 'expression-as-path',
  id: 'MP422',
  severity: 'warning',
  category: 'matching',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a regular expression as a path',
  why: 'paths are no regular expressions: they are compared letter by letter, except for a star at the beginning or end, so a DENY rule does not deny the paths that are meant, and an ALLOW rule does not allow them',
  hint: 'list the paths, with "{*}" for one whole segment and a star at the end for any text',
  check({ snapshot, report }) {
    for (const { policy, field, value, path } of operationValues(snapshot, 'paths', 'notPaths')) {
      // Of what begins otherwise or has a star inside, reading says it.
      if (!/^[/*]/.test(value) || hasInnerStar(value) || !isExpression(value)) continue;
      const plain = plainFormOf(value);
      const isSaid = !isExpression(plain);
      report({
        ...{ object: policy, path },
        message: `"${value}" is compared letter by letter, and looks like a regular expression`,
        why: whyOf(policy, field === 'notPaths', value),
        hint: isSaid ? `write "${plain}"` : undefined,
      });
    }
  },
};

/** A star at an end is a wildcard all the same, so such a value matches something, though not what is meant. */
function whyOf(policy: AuthorizationPolicy, isNegated: boolean, value: string): string {
  const [part, text] = value.startsWith('*') ? ['end', value.slice(1)] : ['begin', value.replace(/\*$/, '')];
  if (text === value)
    return whyIdle(policy, isNegated, 'paths are no regular expressions, and no request has this one');
  const does = isNegated ? 'the rule excepts' : 'the rule matches';
  return `paths are no regular expressions, only a star at an end stands for any text: ${does} only paths that ${part} with "${text}"`;
}

/** Without signs of an end and of any text; a segment that is an expression of its own matches one segment. */
function plainFormOf(expression: string): string {
  const ended = expression.replace(/\$$/, '').replace(/\.[*+]$/, '*');
  return ended.replaceAll(/(?<=\/)(\[[^/]*\]|\\[dw])[*+]?(?=\/)/g, '{*}');
}
