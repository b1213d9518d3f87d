import type { PermissionIR } from '../../ir/rbac.ts';
import { allOf, notOf, someOf } from './combine.ts';
import { spelledPath } from './path-spelling.ts';
import { patternOf, quoteRegex, type Sense, textMatch } from './pattern.ts';

/**
 * One of the paths. Envoy's normalization leaves `..;` and `.;` where the dots were escaped or followed a backslash, and
 * takes them for `..` and `.` the next time: the proxy of the backend then sees another path than a gateway did. Such a
 * path matches where a match takes access away, and not where it gives it.
 */
export function pathsMatch(values: readonly string[], sense: Sense): PermissionIR {
  const match = someOf(values.map((value) => pathMatch(value, sense)));
  if (match.kind === 'any') return match;
  if (sense === 'takes') return someOf<PermissionIR>([...(match.kind === 'some' ? match.of : [match]), ...unsettled]);
  return values.every(isExact) ? match : allOf<PermissionIR>([match, notOf(someOf<PermissionIR>(unsettled))]);
}

const unsettled: readonly PermissionIR[] = ['/..;', '/.;'].map((value) => ({
  kind: 'path',
  match: { kind: 'contains', value },
}));

/** A star alone gives all paths anyway. */
function isExact(value: string): boolean {
  return value === '*' || (!isTemplate(value) && patternOf(value).kind === 'exact');
}

/** A path without its query, as Envoy normalized it; `{*}` is one segment, `{**}` any text. */
function pathMatch(value: string, sense: Sense): PermissionIR {
  if (isTemplate(value)) return templateMatch(value, sense);
  const pattern = patternOf(value);
  // CONNECT has no path: what is denied on all paths is denied there, what is allowed on all paths is not allowed.
  if (pattern.kind === 'any') {
    return sense === 'takes' ? { kind: 'any' } : { kind: 'path', match: { kind: 'prefix', value: '/' } };
  }
  const spelled = sense === 'takes' ? spelledPath(pattern.text) : undefined;
  if (spelled !== undefined) {
    const regex = `${pattern.kind === 'suffix' ? '.*' : ''}${spelled}${pattern.kind === 'prefix' ? '.*' : ''}`;
    return { kind: 'path', match: { kind: 'regex', value: regex } };
  }
  const match = textMatch(pattern);
  if (value !== '/' || sense === 'gives') return { kind: 'path', match };
  // Envoy's merging of slashes leaves a path of slashes alone at two of them; to an application that is the root.
  return someOf<PermissionIR>([
    { kind: 'path', match },
    { kind: 'path', match: { kind: 'exact', value: '//' } },
  ]);
}

/** Envoy's own templates do not take `[` and `]` for part of a segment, and Envoy does not escape them in a path. */
function templateMatch(value: string, sense: Sense): PermissionIR {
  if (sense === 'gives') {
    return { kind: 'path-template', template: value.replaceAll('{**}', '**').replaceAll('{*}', '*') };
  }
  const regex = value
    .split(/(\{\*\*?\})/)
    .map((part) => (part === '{*}' ? '[^/]+' : part === '{**}' ? '.*' : (spelledPath(part) ?? quoteRegex(part))))
    .join('');
  return { kind: 'path', match: { kind: 'regex', value: regex } };
}

function isTemplate(value: string): boolean {
  return value.includes('{*}') || value.includes('{**}');
}
