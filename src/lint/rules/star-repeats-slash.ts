import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Without any other sign of an expression: the pattern of a shell. */
const glob = /^[\w/.-]*\/\*(?:\/[\w/.*-]*)?$/;

/** In an expression a star repeats what is before it. */
export const rule: Rule = {
  code: 'star-repeats-slash',
  id: 'MP648',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a pattern such as "/api/*" as a regular expression',
  why: 'the star repeats the slash before it and stands for no other text, so requests for the paths that are meant go to another route, or get 404',
  hint: 'write the part before the star as "prefix"',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      for (const [i, { uri }] of (route.match ?? []).entries()) {
        const text = uri?.regex;
        if (text === undefined || !glob.test(text)) continue;
        report({
          ...{ object, path: [...path, 'match', i, 'uri', 'regex'] },
          message: `the star in "${text}" repeats the slash before it: the expression matches "${text.replaceAll('*', '')}" and no path with another name there`,
          hint: hintOf(text),
        });
      }
    }
  },
};

function hintOf(text: string): string {
  if (text.indexOf('*') === text.length - 1) return `write prefix: "${text.slice(0, -1)}"`;
  const expression = text.replaceAll('.', '\\.').replaceAll('/*', '/[^/]+');
  return `write regex: '${expression}'`;
}
