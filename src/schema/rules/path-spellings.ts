import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Report } from '../rule.ts';

/**
 * Paths that a rule takes away are compared as Envoy normalized them. What an application takes for the same beyond
 * that, Envoy does not know: a slash at the end, letters of the other case, parameters after a semicolon.
 */
export function checkPathSpellings({ spec }: AuthorizationPolicy, report: Report): void {
  const { action = 'ALLOW', rules = [] } = spec;
  if (action === 'AUDIT') return;
  const field = action === 'ALLOW' ? 'notPaths' : 'paths';
  for (const [i, { to = [] }] of rules.entries()) {
    const found = to.flatMap(({ operation }, j) =>
      (operation[field] ?? []).map((path, k) => {
        const at: JsonPath = ['spec', 'rules', i, 'to', j, 'operation', field, k];
        return { path, at, others: otherSpellings(path) };
      }),
    );
    const first = found.find(({ others }) => others.length > 0);
    if (first === undefined) continue;
    const spellings = first.others.map((other) => `"${other}"`).join(', ');
    report('other-spellings-of-path', first.at, { path: first.path, spellings });
  }
}

/** Examples, with a segment in place of `{*}`; a path that ends in a star takes everything that follows it already. */
function otherSpellings(value: string): readonly string[] {
  const path = value.replace(/\{\*\*\}$/, '*').replace(/\{\*\*?\}/g, 'x');
  const isOpen = path.endsWith('*');
  const text = path.startsWith('*') ? path.slice(1) : isOpen ? path.slice(0, -1) : path;
  const upper = text.toUpperCase();
  const otherCase = upper === text ? text.toLowerCase() : upper;
  const ends = isOpen ? [] : [text.endsWith('/') ? text.slice(0, -1) : `${text}/`, `${text};x`];
  return [...ends, ...(otherCase === text ? [] : [otherCase])].filter((other) => other !== '');
}
