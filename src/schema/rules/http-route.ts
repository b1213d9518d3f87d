import type { JsonPath } from '../../diagnostics/span.ts';
import type { Headers, HttpRetry, HttpRoute, StringMatch } from '../../policy/virtual-service.ts';
import type { Report } from '../rule.ts';
import { quotedList } from '../words.ts';
import { checkHeaderNames } from './header-operations.ts';
import { checkHttpMatches } from './http-match.ts';
import { checkRegex } from './regex.ts';
import { checkRouteValues } from './route-values.ts';
import { checkTotalWeight } from './weights.ts';

/** What one HTTP route must keep beyond its schema. */
export function checkHttpRoute(route: HttpRoute, path: JsonPath, report: Report): void {
  checkActions(route, path, report);
  checkHttpMatches(route.match ?? [], [...path, 'match'], report);
  checkTotalWeight(route.route ?? [], [...path, 'route'], report);
  checkRedirectCode(route, path, report);
  checkRetries(route.retries, [...path, 'retries'], report);
  checkExpressions(route, path, report);
  checkRouteValues(route, path, report);
  for (const [headers, place] of headersOf(route, path)) checkHeaderNames(headers, place, report);
}

const actions = ['route', 'redirect', 'directResponse', 'delegate'] as const;
/** Fields that have no meaning beside an answer that needs no destination. */
const destinationFields = ['fault', 'rewrite'] as const;

function checkActions(route: HttpRoute, path: JsonPath, report: Report): void {
  const chosen = actions.filter((field) => route[field] !== undefined);
  if (chosen.length === 0) report('route-without-action', path, {});
  const answersItself = route.redirect !== undefined || route.directResponse !== undefined;
  const beside = answersItself ? destinationFields.filter((field) => route[field] !== undefined) : [];
  const conflicting = [...chosen, ...beside];
  if (conflicting.length < 2) return;
  const place = [...path, conflicting[1] ?? ''];
  // What answers itself excludes all the others; "rewrite" and "fault" go well with "route".
  const field = conflicting.find((it) => it === 'redirect' || it === 'directResponse') ?? conflicting[0] ?? '';
  const others = conflicting.filter((it) => it !== field);
  const excluded = quotedList(others, 'and');
  const hint = `remove "${field}", or ${excluded}`;
  report('route-action-conflict', place, { field, others: excluded }, { part: 'key', hint });
}

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Envoy has names for these codes only. */
function checkRedirectCode({ redirect }: HttpRoute, path: JsonPath, report: Report): void {
  const code = redirect?.redirectCode ?? 0;
  if (code === 0 || redirectCodes.has(code)) return;
  report('invalid-redirect-code', [...path, 'redirect', 'redirectCode'], { value: String(code) });
}

function checkRetries(retries: HttpRetry | undefined, path: JsonPath, report: Report): void {
  if (retries?.attempts !== 0) return;
  const field = (['perTryTimeout', 'retryOn', 'retryRemoteLocalities', 'backoff'] as const).find(
    (name) => retries[name] !== undefined,
  );
  if (field !== undefined) report('retries-disabled-with-options', [...path, field], { field }, { part: 'key' });
}

function checkExpressions(route: HttpRoute, path: JsonPath, report: Report): void {
  const rewrite = route.rewrite?.uriRegexRewrite;
  if (rewrite !== undefined) checkRegex(rewrite.match, [...path, 'rewrite', 'uriRegexRewrite', 'match'], report);
  const origins: readonly StringMatch[] = route.corsPolicy?.allowOrigins ?? [];
  for (const [i, { regex }] of origins.entries()) {
    if (regex !== undefined) checkRegex(regex, [...path, 'corsPolicy', 'allowOrigins', i, 'regex'], report);
  }
}

function headersOf(route: HttpRoute, path: JsonPath): [Headers, JsonPath][] {
  const found: [Headers, JsonPath][] = [];
  if (route.headers !== undefined) found.push([route.headers, [...path, 'headers']]);
  for (const [i, { headers }] of (route.route ?? []).entries()) {
    if (headers !== undefined) found.push([headers, [...path, 'route', i, 'headers']]);
  }
  return found;
}
