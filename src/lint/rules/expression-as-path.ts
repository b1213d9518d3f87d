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
  since: '0.1.0',
  title: 'a regular expression as a path',
  why: 'paths are no regular expressions: the value is compared letter by letter, so a DENY rule does not deny the paths that are meant, and an ALLOW rule does not allow them',
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
        why: whyIdle(policy, field === 'notPaths', 'paths are no regular expressions, and no request has this one'),
        hint: isSaid ? `write "${plain}"` : undefined,
      });
    }
  },
};

/** Without signs of an end and of any text; a segment that is an expression of its own matches one segment. */
function plainFormOf(expression: string): string {
  const ended = expression.replace(/\$$/, '').replace(/\.[*+]$/, '*');
  return ended.replaceAll(/(?<=\/)(\[[^/]*\]|\\[dw])[*+]?(?=\/)/g, '{*}');
}
