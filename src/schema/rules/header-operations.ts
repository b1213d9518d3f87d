import type { JsonPath } from '../../diagnostics/span.ts';
import type { HeaderOperations, Headers } from '../../policy/virtual-service.ts';
import { formats } from '../formats.ts';
import type { Report } from '../rule.ts';
import { isHeaderName } from '../texts.ts';
import { formatStringFault } from './format-string.ts';

/**
 * Names of headers that a route changes. Pseudo headers belong to HTTP itself; of them only the host may be set, once,
 * and only towards the destination.
 */
export function checkHeaderNames({ request, response }: Headers, path: JsonPath, report: Report): void {
  const hosts: JsonPath[] = [];
  for (const [side, operations] of Object.entries({ request, response }) as [string, HeaderOperations?][]) {
    checkRepetition(operations ?? {}, [...path, side], report);
    checkValues(operations ?? {}, [...path, side], report);
    for (const [name, place, operation] of namesOf(operations ?? {}, [...path, side])) {
      if (isHostHeader(name)) {
        if (side === 'request' && operation !== 'remove' && hosts.length === 0) hosts.push(place);
        else report('host-header-conflict', place, { name }, { part: operation === 'remove' ? 'value' : 'key' });
        continue;
      }
      if (isHeaderName(name)) continue;
      const expected = formats['header-name']?.expected ?? '';
      const holes = { field: operation, value: name, expected };
      report('invalid-header-name', place, holes, { part: operation === 'remove' ? 'value' : 'key' });
    }
  }
}

/** Envoy compares names without case: of two spellings of one name nobody can say which value is meant. */
function checkRepetition(operations: HeaderOperations, path: JsonPath, report: Report): void {
  for (const operation of ['set', 'add'] as const) checkSpellings(operations[operation], [...path, operation], report);
}

/** Reports keys that differ in case only. */
export function checkSpellings(fields: object = {}, path: JsonPath, report: Report): void {
  const seen = new Map<string, string>();
  for (const name of Object.keys(fields)) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) report('repeated-header-name', [...path, name], { name, other }, { part: 'key' });
    else seen.set(name.toLowerCase(), name);
  }
}

/** What Envoy fills in must be something that it knows. */
function checkValues(operations: HeaderOperations, path: JsonPath, report: Report): void {
  for (const operation of ['set', 'add'] as const) {
    for (const [name, value] of Object.entries(operations[operation] ?? {})) {
      const reason = formatStringFault(value);
      if (reason !== undefined) report('unreadable-header-value', [...path, operation, name], { name, reason });
    }
  }
}

function namesOf(operations: HeaderOperations, path: JsonPath): [name: string, place: JsonPath, operation: string][] {
  const found: [string, JsonPath, string][] = [];
  for (const operation of ['set', 'add'] as const) {
    for (const name of Object.keys(operations[operation] ?? {}))
      found.push([name, [...path, operation, name], operation]);
  }
  for (const [i, name] of (operations.remove ?? []).entries()) found.push([name, [...path, 'remove', i], 'remove']);
  return found;
}

function isHostHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'host' || lower === ':authority';
}
