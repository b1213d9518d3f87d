import type { JsonPath } from '../../../diagnostics/span.ts';
import { parseDuration } from '../../../lib/duration.ts';
import type { HttpRouteMatch, HttpRouteRule, StandardHttpRoute } from '../../../policy/gateway-api.ts';
import type { Report, Rule } from '../../rule.ts';
import { checkRegex } from '../regex.ts';
import { checkHeaders, checkHostNames, checkTargets } from './request-rules.ts';

/** Validation of HTTPRoute beyond its schema. */
export const standardRouteRules: readonly Rule<StandardHttpRoute>[] = [checkHostNames, checkRules];

function checkRules({ spec }: StandardHttpRoute, report: Report): void {
  for (const [i, rule] of spec.rules.entries()) {
    const path: JsonPath = ['spec', 'rules', i];
    for (const [j, match] of (rule.matches ?? []).entries()) checkMatch(match, [...path, 'matches', j], report);
    checkTargets(rule, path, report);
    checkAnswer(rule, path, report);
    checkReplacedPrefix(rule, path, report);
    checkTimeouts(rule, [...path, 'timeouts'], report);
  }
}

function checkMatch({ path = {}, headers = [], queryParams = [] }: HttpRouteMatch, at: JsonPath, report: Report): void {
  const { type = 'PathPrefix', value } = path;
  const place = [...at, 'path', 'value'];
  if (type === 'RegularExpression') checkRegex(value ?? '', place, report);
  else if (value !== undefined) {
    const reason = faultOfPath(value);
    const hint = hintOfPath(value);
    if (reason !== undefined) report('path-of-no-request', place, { path: value, reason }, { hint });
  }
  checkHeaders(headers, [...at, 'headers'], report);
  const parameters = new Set<string>();
  for (const [i, { type: kind, name, value: wanted }] of queryParams.entries()) {
    const field = [...at, 'queryParams', i];
    if (parameters.has(name)) {
      report('invalid-match-value', [...field, 'name'], {
        field: 'name',
        value: name,
        reason: 'the match has it twice',
      });
    }
    parameters.add(name);
    if (kind === 'RegularExpression') checkRegex(wanted, [...field, 'value'], report);
  }
}

/** What Envoy compares begins with a slash, is normalized, and ends before query and fragment. */
function faultOfPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'paths begin with "/"';
  const mark = /[?#]/.exec(path)?.[0];
  if (mark !== undefined) return `a path ends before "${mark}"`;
  if (path.includes('//')) return 'repeated slashes are merged';
  if (/\/\.{1,2}(\/|$)/.test(path)) return '"/./" and "/../" are resolved';
  if (/%2f/i.test(path)) return 'an escaped slash is no part of a path here';
  const [other] = path.match(unsent) ?? [];
  return other && `requests have "${other}" percent-encoded`;
}

/** What no path has as it is: a character that RFC 3986 leaves out of segments, or a percent sign before no two digits. */
const unsent = /[^\w/.~!$&'()*+,;=:@%?#-]|%(?![0-9A-Fa-f]{2})/u;

/** The path as requests have it, where nothing else is wrong in it. */
function hintOfPath(path: string): string | undefined {
  const encoded = path.replaceAll(new RegExp(unsent, 'gu'), percentEncoded);
  return encoded !== path && faultOfPath(encoded) === undefined ? `write "${encoded}"` : undefined;
}

function percentEncoded(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** An answer of the gateway itself needs no backend and forwards nothing. */
function checkAnswer({ filters = [], backendRefs = [] }: HttpRouteRule, path: JsonPath, report: Report): void {
  const redirect = filters.findIndex(({ requestRedirect }) => requestRedirect !== undefined);
  if (redirect === -1) return;
  const place = [...path, 'filters', redirect];
  const beside = [
    ...(backendRefs.length > 0 ? ['"backendRefs"'] : []),
    ...(filters.some(({ urlRewrite }) => urlRewrite !== undefined) ? ['"urlRewrite"'] : []),
    ...(filters.some(({ requestMirror }) => requestMirror !== undefined) ? ['"requestMirror"'] : []),
  ];
  for (const other of beside) {
    report('conflicting-fields', place, { fields: `"requestRedirect" and ${other}`, where: 'a rule of HTTPRoute' });
  }
}

/** Only what was matched as a prefix can be replaced as one. */
function checkReplacedPrefix({ filters = [], matches = [{}] }: HttpRouteRule, path: JsonPath, report: Report): void {
  const index = filters.findIndex(({ urlRewrite }) => urlRewrite?.path?.type === 'ReplacePrefixMatch');
  const other = matches.findIndex((match) => (match.path?.type ?? 'PathPrefix') !== 'PathPrefix');
  if (index === -1 || other === -1) return;
  const reason = 'each match of the rule has to be of type PathPrefix';
  const holes = { field: 'type', value: 'ReplacePrefixMatch', reason };
  report('invalid-match-value', [...path, 'filters', index, 'urlRewrite', 'path', 'type'], holes);
}

function checkTimeouts({ timeouts = {} }: HttpRouteRule, path: JsonPath, report: Report): void {
  const { request, backendRequest } = timeouts;
  if (request === undefined || backendRequest === undefined) return;
  const [whole = 0, one = 0] = [parseDuration(request), parseDuration(backendRequest)];
  if (whole === 0 || one <= whole) return;
  const holes = { field: 'backendRequest', value: backendRequest, expected: `at most "request" (${request})` };
  report('value-out-of-range', [...path, 'backendRequest'], holes);
}
