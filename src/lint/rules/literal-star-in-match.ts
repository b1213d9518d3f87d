import type { HttpMatch } from '../../policy/virtual-service.ts';
import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Routes compare texts letter by letter; stars are wildcards in access rules and in lists of hosts alone. */
export const rule: Rule = {
  code: 'literal-star-in-match',
  id: 'MP640',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a star in the exact text or the prefix of a route match',
  why: 'the star is compared as a character, so the match takes none of the requests that are meant, and they go to a later route or get 404',
  hint: 'write the part before the star as "prefix", or an expression in "regex"',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      for (const [i, match] of (route.match ?? []).entries()) {
        for (const field of ['uri', 'authority'] as const) {
          for (const kind of ['exact', 'prefix'] as const) {
            const text = match[field]?.[kind];
            if (text === undefined || !text.includes('*')) continue;
            report({
              ...{ object, path: [...path, 'match', i, field, kind] },
              message: `the star in "${text}" is an ordinary character: ${kind === 'exact' ? 'an exact text' : 'a prefix'} has no wildcards`,
              hint: hintOf(field, text),
            });
          }
        }
      }
    }
  },
};

/** What the star stands for decides: all that follows it, or something between. */
function hintOf(field: keyof HttpMatch, text: string): string {
  if (/^[/*]+$/.test(text))
    return field === 'uri' ? 'write prefix: "/"' : 'remove "authority": without it every host matches';
  const before = text.replace(/\/?\*+$/, '');
  if (before.includes('*') || before === text) {
    const expression = text
      .replaceAll(/[.+?^$()[\]{}|\\]/g, '\\$&')
      .replaceAll(/\*+/g, field === 'uri' ? '[^/]+' : '.+');
    return `write regex: '${expression}'`;
  }
  return `write prefix: "${text.replace(/\*+$/, '')}"`;
}
