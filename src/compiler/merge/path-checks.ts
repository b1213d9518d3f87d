import type { PathNormalization, Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { type AuthorizationPolicy, takesAccess } from '../../policy/authorization-policy.ts';

/**
 * Reports paths that take access away and that no request has once Envoy has normalized its own: `/a//b` denies nothing
 * where slashes are merged.
 */
export function checkPaths(policies: readonly AuthorizationPolicy[], settings: Settings, bag: DiagnosticBag): void {
  const { pathNormalization: level } = settings;
  if (level === 'NONE') return;
  for (const { spec, document } of policies) {
    const { action = 'ALLOW', rules = [] } = spec;
    const field = takesAccess(action, false) ? 'paths' : 'notPaths';
    for (const [i, { to = [] }] of rules.entries()) {
      for (const [j, { operation }] of to.entries()) {
        for (const [k, value] of (operation[field] ?? []).entries()) {
          const fault = faultOf(value, level);
          if (fault === undefined) continue;
          const span = document.spanOf(['spec', 'rules', i, 'to', j, 'operation', field, k]);
          const reason = `under ${level} Envoy ${fault}`;
          bag.report(
            'match-never-holds',
            span,
            { field: `${field}[${k}]`, value, reason },
            { hint: hintOf(value, level) },
          );
        }
      }
    }
  }
}

type Level = Exclude<PathNormalization, 'NONE'>;

const isMerged: Readonly<Record<Level, boolean>> = { BASE: false, MERGE_SLASHES: true, DECODE_AND_MERGE_SLASHES: true };

/** What Envoy does to every path that the value could match. A path of slashes alone keeps two of them. */
function faultOf(value: string, level: Level): string | undefined {
  if (value === '//') return undefined;
  const path = decoded(sampleOf(value), level);
  if (path.includes('\0')) return 'refuses a path with "%00"';
  if (/\/\.\.?(\/|$)/.test(path)) return 'resolves "." and ".."';
  return isMerged[level] && path.includes('//') ? 'makes one slash of several' : undefined;
}

/** A path that matches the value, with a letter for what is left open. */
function sampleOf(value: string): string {
  return value.replace(/\{\*\*?\}/g, 'x').replace(/^\*|(?<=.)\*$/g, 'x');
}

/** Escaped as Envoy leaves it: letters, digits and `-._~` never, a slash where the level says so. */
function decoded(text: string, level: Level): string {
  const characters = level === 'DECODE_AND_MERGE_SLASHES' ? /[A-Za-z0-9\-._~\0/\\]/ : /[A-Za-z0-9\-._~\0]/;
  const plain = text.replace(/%([0-9a-f]{2})/gi, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return characters.test(character) ? character : escaped;
  });
  return plain.replaceAll('\\', '/');
}

/** The path that requests have in its place; none where an open part makes that uncertain. */
function hintOf(value: string, level: Level): string | undefined {
  if (!value.startsWith('/') || value.includes('{') || /%00/.test(value)) return undefined;
  const merged = isMerged[level] ? decoded(value, level).replace(/\/{2,}/g, '/') : decoded(value, level);
  const kept: string[] = [];
  const segments = merged.split('/').slice(1);
  for (const [i, segment] of segments.entries()) {
    if (segment === '..') kept.pop();
    const isDots = segment === '.' || segment === '..';
    if (!isDots) kept.push(segment);
    else if (i === segments.length - 1) kept.push('');
  }
  return `write "/${kept.join('/')}", which is what requests have there`;
}
