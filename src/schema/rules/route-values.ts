import { RE2JS } from 're2js';
import type { JsonPath } from '../../diagnostics/span.ts';
import { grpcStatusNames } from '../../policy/grpc-status.ts';
import type { HttpRoute } from '../../policy/virtual-service.ts';
import { formats } from '../formats.ts';
import type { Report } from '../rule.ts';
import { isFreeOfControls } from '../texts.ts';
import { quotedList } from '../words.ts';

/** Texts of a route that Envoy would refuse, or take for something else. */
export function checkRouteValues(route: HttpRoute, path: JsonPath, report: Report): void {
  checkGrpcStatus(route, path, report);
  checkBytes(route, path, report);
  checkLocation(route, path, report);
  checkSubstitution(route, path, report);
}

function checkGrpcStatus({ fault }: HttpRoute, path: JsonPath, report: Report): void {
  const status = fault?.abort?.grpcStatus;
  if (status === undefined || grpcStatusNames.includes(status)) return;
  const holes = { field: 'grpcStatus', value: status, expected: quotedList(grpcStatusNames) };
  report('unknown-enum-value', [...path, 'fault', 'abort', 'grpcStatus'], holes);
}

/** What every text in base64 fulfils (RFC 4648 section 4). */
export const base64Pattern = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

const base64 = new RegExp(base64Pattern);

function checkBytes({ directResponse }: HttpRoute, path: JsonPath, report: Report): void {
  const bytes = directResponse?.body?.bytes;
  if (bytes === undefined || base64.test(bytes)) return;
  report('invalid-base64', [...path, 'directResponse', 'body', 'bytes'], { field: 'bytes' });
}

/** Both become parts of a header, whose line they must not end. */
function checkLocation({ redirect = {} }: HttpRoute, path: JsonPath, report: Report): void {
  for (const field of ['uri', 'authority'] as const) {
    const value = redirect[field];
    if (value === undefined || isFreeOfControls(value)) continue;
    const expected = formats['token-prefix']?.expected ?? '';
    report('invalid-header-value', [...path, 'redirect', field], { field, value, expected });
  }
}

/** Envoy refuses a replacement that names a group which the expression does not have. */
function checkSubstitution({ rewrite }: HttpRoute, path: JsonPath, report: Report): void {
  const { match, rewrite: replacement } = rewrite?.uriRegexRewrite ?? {};
  if (match === undefined || replacement === undefined) return;
  const groups = groupCount(match);
  if (groups === undefined) return;
  const place = [...path, 'rewrite', 'uriRegexRewrite', 'rewrite'];
  for (const [found, group] of replacement.matchAll(/\\(?:\\|(\d)|.?)/gs)) {
    if (found === '\\\\' || (group !== undefined && Number(group) <= groups)) continue;
    report('unknown-capture-group', place, { text: found, groups: String(groups) });
    return;
  }
}

/** Undefined for what is no expression, which is reported elsewhere. */
function groupCount(expression: string): number | undefined {
  try {
    return RE2JS.compile(expression).groupCount();
  } catch {
    // The library has no other way to say that a pattern is wrong.
    return undefined;
  }
}
