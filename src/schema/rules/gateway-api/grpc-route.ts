import type { JsonPath } from '../../../diagnostics/span.ts';
import type { GrpcRouteMatch, StandardGrpcRoute } from '../../../policy/gateway-api.ts';
import type { Report, Rule } from '../../rule.ts';
import { checkRegex } from '../regex.ts';
import { checkHeaders, checkHostNames, checkTargets } from './request-rules.ts';

/** Validation of GRPCRoute beyond its schema. */
export const grpcRouteRules: readonly Rule<StandardGrpcRoute>[] = [checkHostNames, checkRules];

function checkRules({ spec }: StandardGrpcRoute, report: Report): void {
  for (const [i, rule] of spec.rules.entries()) {
    const path: JsonPath = ['spec', 'rules', i];
    for (const [j, match] of (rule.matches ?? []).entries()) checkMatch(match, [...path, 'matches', j], report);
    checkTargets(rule, path, report);
  }
}

/** Names of gRPC's services and methods, of which a path consists. */
const names = {
  service: { pattern: /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, expected: 'a name such as "shop.Cart"' },
  method: { pattern: /^[A-Za-z_]\w*$/, expected: 'a name such as "Add"' },
} as const;

/** In characters; Envoy compares one expression for both names. */
const longestExpressions = 1000;

function checkMatch({ method = {}, headers = [] }: GrpcRouteMatch, path: JsonPath, report: Report): void {
  const { type, service = '', method: name = '' } = method;
  if (type === 'RegularExpression' && service.length + name.length > longestExpressions) {
    const reason = `the expressions for service and method have more than ${longestExpressions} characters together`;
    report('invalid-regex', [...path, 'method'], { field: 'method', reason });
    return;
  }
  for (const field of ['service', 'method'] as const) {
    const value = method[field];
    const place = [...path, 'method', field];
    if (value === undefined) continue;
    if (type === 'RegularExpression') checkRegex(value, place, report);
    else if (!names[field].pattern.test(value)) {
      const reason = `expected ${names[field].expected}`;
      report('invalid-match-value', place, { field, value, reason });
    }
  }
  checkHeaders(headers, [...path, 'headers'], report);
}
