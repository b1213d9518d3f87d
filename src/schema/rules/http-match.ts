import type { JsonPath } from '../../diagnostics/span.ts';
import type { HttpMatch, StringMatch } from '../../policy/virtual-service.ts';
import { formats } from '../formats.ts';
import type { Report } from '../rule.ts';
import { isHeaderName } from '../texts.ts';
import { checkSpellings } from './header-operations.ts';
import { checkUriValues } from './path-values.ts';
import { checkRegex } from './regex.ts';

const pseudoHeaders: ReadonlySet<string> = new Set([':method', ':authority', ':path', ':scheme']);

/** What the match entries of an HTTP route must keep beyond their schema. */
export function checkHttpMatches(matches: readonly HttpMatch[], path: JsonPath, report: Report): void {
  for (const [i, match] of matches.entries()) {
    for (const [text, place] of textMatchesOf(match, [...path, i])) checkTextMatch(text, place, report);
    if (match.uri !== undefined) checkUriValues(match.uri, [...path, i, 'uri'], report);
    for (const field of ['headers', 'withoutHeaders'] as const) {
      checkSpellings(match[field], [...path, i, field], report);
      for (const name of Object.keys(match[field] ?? {})) checkHeaderName(name, [...path, i, field, name], report);
    }
  }
}

/** An empty prefix of a path is every path; of anything else it is a mistake. */
function checkTextMatch({ prefix, regex }: StringMatch, path: JsonPath, report: Report): void {
  if (prefix === '' && path.at(-1) !== 'uri') report('empty-value', [...path, 'prefix'], { field: 'prefix' });
  // "*" is Istio's older way to say "present".
  if (regex !== undefined && regex !== '*') checkRegex(regex, [...path, 'regex'], report);
}

/** `@request.auth.claims.x` would look at the token, which is read after the route was chosen. */
function checkHeaderName(name: string, path: JsonPath, report: Report): void {
  if (name.startsWith('@')) {
    const reason =
      'unlike Istio, this compiler chooses no routes by claims of tokens, also not at gateways; use an AuthorizationPolicy to allow or deny by claims';
    report('unsupported-field', path, { field: name, reason }, { part: 'key' });
    return;
  }
  if (isHeaderName(name) || pseudoHeaders.has(name)) return;
  const expected = `${formats['header-name']?.expected}, or one of ${[...pseudoHeaders].join(', ')}`;
  report('invalid-header-name', path, { field: String(path.at(-2)), value: name, expected }, { part: 'key' });
}

function textMatchesOf(match: HttpMatch, path: JsonPath): [StringMatch, JsonPath][] {
  const found: [StringMatch, JsonPath][] = [];
  for (const field of ['uri', 'scheme', 'method', 'authority'] as const) {
    const text = match[field];
    if (text !== undefined) found.push([text, [...path, field]]);
  }
  for (const field of ['headers', 'withoutHeaders', 'queryParams'] as const) {
    for (const [name, text] of Object.entries(match[field] ?? {})) found.push([text, [...path, field, name]]);
  }
  return found;
}
