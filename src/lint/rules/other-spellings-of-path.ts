import { coversAll } from '../authorization/covers.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Paths are compared as Envoy normalized them. What an application takes for the same beyond that, Envoy does not know: a
 * slash at the end, letters of the other case, parameters after a semicolon. */
export const rule: Rule = {
  code: 'other-spellings-of-path',
  id: 'MP401',
  severity: 'info',
  category: 'matching',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a rule that denies a path in only one spelling',
  why: 'an application may treat another spelling as the same path, and requests with that spelling are not denied',
  hint: 'allow known paths with an ALLOW policy instead, or deny a prefix and each spelling that the application accepts',
  check({ snapshot, report }) {
    for (const { policy, rule: own, path: root } of allRulesOf(snapshot)) {
      const { action = 'ALLOW' } = policy.spec;
      if (action === 'AUDIT') continue;
      const field = action === 'ALLOW' ? 'notPaths' : 'paths';
      const all = (own.to ?? []).flatMap(({ operation }) => operation[field] ?? []);
      const found = (own.to ?? []).flatMap(({ operation }, j) =>
        (operation[field] ?? []).map((value, k) => {
          const others = otherSpellings(value).filter((other) => !coversAll(all, [other]));
          return { value, path: [...root, 'to', j, 'operation', field, k], others };
        }),
      );
      // One finding a rule: the values of a rule are mended together.
      const first = found.find(({ others }) => others.length > 0);
      if (first === undefined) continue;
      const spellings = first.others.map((other) => `"${other}"`).join(', ');
      const message = `the rule covers only "${first.value}", and an application may treat ${spellings} as the same`;
      report({ object: policy, path: first.path, message });
    }
  },
};

/** Examples, with a segment in place of `{*}`; a path that ends in a star takes everything that follows it already. */
function otherSpellings(value: string): readonly string[] {
  // Of what begins otherwise, reading says that no request has it.
  if (!/^[/*{]/.test(value)) return [];
  const path = value.replace(/\{\*\*\}$/, '*').replace(/\{\*\*?\}/g, 'x');
  const isOpen = path.endsWith('*');
  const text = path.startsWith('*') ? path.slice(1) : isOpen ? path.slice(0, -1) : path;
  const upper = text.toUpperCase();
  const otherCase = upper === text ? text.toLowerCase() : upper;
  const ends = isOpen ? [] : [text.endsWith('/') ? text.slice(0, -1) : `${text}/`, `${text};x`];
  return [...ends, ...(otherCase === text ? [] : [otherCase])].filter((other) => other !== '');
}
