import type { JsonPath } from '../../../diagnostics/span.ts';
import type {
  BackendRef,
  RequestRoute,
  RequestRule,
  StandardTlsRoute,
  ValueCondition,
} from '../../../policy/gateway-api.ts';
import type { Report } from '../../rule.ts';
import { checkRegex } from '../regex.ts';
import { checkFilters } from './filters.ts';
import { checkHostName } from './host-names.ts';

/** Validation of the host names of a route. */
export function checkHostNames({ spec: { hostnames = [] } }: RequestRoute | StandardTlsRoute, report: Report): void {
  for (const [i, name] of hostnames.entries()) checkHostName(name, ['spec', 'hostnames', i], report);
}

/** A header is in a match once. */
export function checkHeaders(headers: readonly ValueCondition[], path: JsonPath, report: Report): void {
  const names = new Set<string>();
  for (const [i, header] of headers.entries()) {
    const name = header.name.toLowerCase();
    if (names.has(name)) report('repeated-header-name', [...path, i, 'name'], { name: header.name, other: name });
    names.add(name);
    if (header.type === 'RegularExpression') checkRegex(header.value, [...path, i, 'value'], report);
  }
}

/** Filters and backends of a rule. */
export function checkTargets({ filters = [], backendRefs = [] }: RequestRule, path: JsonPath, report: Report): void {
  checkFilters(filters, [...path, 'filters'], report);
  for (const [i, backend] of backendRefs.entries()) {
    checkPort(backend, [...path, 'backendRefs', i], report);
    checkFilters(backend.filters ?? [], [...path, 'backendRefs', i, 'filters'], report);
  }
  for (const [i, { requestMirror }] of filters.entries()) {
    if (requestMirror === undefined) continue;
    checkPort(requestMirror.backendRef, [...path, 'filters', i, 'requestMirror', 'backendRef'], report);
  }
}

/** A Service is named with its port. */
export function checkPort({ group = '', kind = 'Service', port }: BackendRef, path: JsonPath, report: Report): void {
  if (group !== '' || kind !== 'Service' || port !== undefined) return;
  report('missing-field', path, { field: 'port', where: 'a backend that is a Service' });
}
