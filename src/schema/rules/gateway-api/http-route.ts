import type { JsonPath } from '../../../diagnostics/span.ts';
import { parseDuration } from '../../../lib/duration.ts';
import type { BackendRef, HttpRouteMatch, HttpRouteRule, StandardHttpRoute } from '../../../policy/gateway-api.ts';
import type { Report, Rule } from '../../rule.ts';
import { checkRegex } from '../regex.ts';
import { checkFilters } from './filters.ts';
import { checkHostName } from './host-names.ts';

/** Validation of HTTPRoute beyond its schema. */
export const standardRouteRules: readonly Rule<StandardHttpRoute>[] = [checkHostNames, checkRules];

function checkHostNames({ spec: { hostnames = [] } }: StandardHttpRoute, report: Report): void {
  for (const [i, name] of hostnames.entries()) checkHostName(name, ['spec', 'hostnames', i], report);
}

function checkRules({ spec }: StandardHttpRoute, report: Report): void {
  for (const [i, rule] of spec.rules.entries()) {
    const path: JsonPath = ['spec', 'rules', i];
    for (const [j, match] of (rule.matches ?? []).entries()) checkMatch(match, [...path, 'matches', j], report);
    checkFilters(rule.filters ?? [], [...path, 'filters'], report);
    checkAnswer(rule, path, report);
    checkReplacedPrefix(rule, path, report);
    checkTimeouts(rule, [...path, 'timeouts'], report);
    for (const [j, backend] of (rule.backendRefs ?? []).entries()) {
      checkPort(backend, [...path, 'backendRefs', j], report);
      checkFilters(backend.filters ?? [], [...path, 'backendRefs', j, 'filters'], report);
    }
    for (const [j, { requestMirror }] of (rule.filters ?? []).entries()) {
      if (requestMirror === undefined) continue;
      checkPort(requestMirror.backendRef, [...path, 'filters', j, 'requestMirror', 'backendRef'], report);
    }
  }
}

function checkMatch({ path = {}, headers = [], queryParams = [] }: HttpRouteMatch, at: JsonPath, report: Report): void {
  const { type = 'PathPrefix', value } = path;
  const place = [...at, 'path', 'value'];
  if (type === 'RegularExpression') checkRegex(value ?? '', place, report);
  else if (value !== undefined) {
    const reason = faultOfPath(value);
    if (reason !== undefined) report('path-of-no-request', place, { path: value, reason });
  }
  const names = new Set<string>();
  for (const [i, header] of headers.entries()) {
    const name = header.name.toLowerCase();
    if (names.has(name))
      report('repeated-header-name', [...at, 'headers', i, 'name'], { name: header.name, other: name });
    names.add(name);
    if (header.type === 'RegularExpression') checkRegex(header.value, [...at, 'headers', i, 'value'], report);
  }
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
  return /%2f/i.test(path) ? 'an escaped slash is no part of a path here' : undefined;
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

function checkPort({ group = '', kind = 'Service', port }: BackendRef, path: JsonPath, report: Report): void {
  if (group !== '' || kind !== 'Service' || port !== undefined) return;
  report('missing-field', path, { field: 'port', where: 'a backend that is a Service' });
}
