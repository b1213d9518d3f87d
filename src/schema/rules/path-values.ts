import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { StringMatch } from '../../policy/virtual-service.ts';
import type { Report } from '../rule.ts';

/** Paths of rules are ones that a request can have, and their stars mean what their author thinks. */
export function checkPathValues({ spec }: AuthorizationPolicy, report: Report): void {
  for (const [i, { to = [] }] of (spec.rules ?? []).entries()) {
    for (const [j, { operation }] of to.entries()) {
      for (const field of ['paths', 'notPaths'] as const) {
        for (const [k, path] of (operation[field] ?? []).entries()) {
          const at = ['spec', 'rules', i, 'to', j, 'operation', field, k];
          const reason = faultOf(path);
          const hint = isExpression(path) ? hintOfExpression(path) : undefined;
          if (reason !== undefined)
            report('path-of-no-request', at, { path, reason }, { hint: hint ?? hintOfPath(path) });
          else if (hasInnerStar(path)) report('star-inside-path', at, { path }, { hint: hint ?? hintOfStars(path) });
        }
      }
    }
  }
}

/** What Envoy compares begins with a slash and ends before query and fragment (config.rbac.v3.Permission, `url_path`). */
function faultOf(path: string): string | undefined {
  if (!path.startsWith('/') && !path.startsWith('*')) return 'paths begin with "/"';
  const mark = /[?#]/.exec(path)?.[0];
  return mark && `a path ends before "${mark}"`;
}

/** The same for a route's match, whose stars are stars. */
export function checkUriValues({ exact, prefix }: StringMatch, at: JsonPath, report: Report): void {
  for (const [field, path] of Object.entries({ exact, prefix })) {
    const reason = path && faultOf(path);
    if (!path || !reason) continue;
    const hint = isExpression(path) ? 'write the expression as "regex"' : hintOfPath(path.replace(/\*$/, ''));
    report('path-of-no-request', [...at, field], { path, reason }, { hint });
  }
}

/** The part of an address that is its path; undefined where none can be told. */
function hintOfPath(path: string): string | undefined {
  const plain = path.replace(/^[a-z]+:\/\/[^/?#]+/i, '').replace(/[?#].*$/s, '');
  if (plain === '' || plain === '*') return undefined;
  return `write "${/^[/*]/.test(plain) ? plain : `/${plain}`}"`;
}

function hasInnerStar(path: string): boolean {
  return path
    .replaceAll(/\{\*\*?\}/g, '')
    .replace(/^\*|(?<=.)\*$/g, '')
    .includes('*');
}

/** Signs that no path has, and regular expressions are made of. */
function isExpression(path: string): boolean {
  return /^\^|\$$|\.[*+]|\\[.dw]|\[[^\]]*-[^\]]*\]|\(.*\|.*\)/.test(path);
}

function hintOfExpression(path: string): string {
  const text = path
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replace(/\.[*+]$/, '*')
    .replaceAll(/\\([./-])/g, '$1');
  // An expression that says where it begins, and not where it ends, takes whatever follows.
  const plain = /^\^.*[^$*]$/.test(path) && !text.endsWith('*') ? `${text}*` : text;
  const isSaid = plain.startsWith('/') && !isExpression(plain) && !hasInnerStar(plain);
  return `paths are no regular expressions: ${isSaid ? `write "${plain}"` : 'list the paths, with "{*}" for one whole segment and a star at the end for any text'}`;
}

/** The value with templates in the place of its stars; undefined where a star is a part of a segment, which none can be. */
function hintOfStars(path: string): string | undefined {
  const segments = path.split('/');
  if (segments.slice(0, -1).some((segment) => segment.includes('*') && !/^(\*|\{\*\*?\})$/.test(segment)))
    return undefined;
  const last = segments.at(-1) ?? '';
  if (last.slice(0, -1).includes('*') || (last.endsWith('*') && last !== '*')) return undefined;
  const written = segments.map((segment, i) =>
    segment === '*' ? (i === segments.length - 1 ? '{**}' : '{*}') : segment,
  );
  return `write "${written.join('/')}"`;
}
