import type { PermissionIR } from '../../ir/rbac.ts';
import { patternOf, type Sense, textMatch } from './pattern.ts';

/** A path without its query, as Envoy normalized it; `{*}` is one segment, `{**}` any number. */
export function pathMatch(value: string, sense: Sense): PermissionIR {
  if (isTemplate(value)) {
    return { kind: 'path-template', template: value.replaceAll('{**}', '**').replaceAll('{*}', '*') };
  }
  const pattern = patternOf(value);
  // CONNECT has no path: what is denied on all paths is denied there, what is allowed on all paths is not allowed.
  if (pattern.kind === 'any') {
    return sense === 'takes' ? { kind: 'any' } : { kind: 'path', match: { kind: 'prefix', value: '/' } };
  }
  return { kind: 'path', match: textMatch(pattern) };
}

function isTemplate(value: string): boolean {
  return value.includes('{*}') || value.includes('{**}');
}
