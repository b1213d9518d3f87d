import type { JsonObject } from '../../source/document.ts';
import type { Report } from '../rule.ts';
import { formatStringFault } from './format-string.ts';

/** Envoy refuses the listener of a format that it cannot read, so it is read here first, by the same grammar. */
export function checkAccessLog({ accessLogFormat: format, accessLogEncoding }: JsonObject, report: Report): void {
  if (typeof format !== 'string' || format === '') return;
  const reason = accessLogEncoding === 'JSON' ? jsonFault(format) : formatStringFault(format);
  if (reason !== undefined) report('invalid-access-log-format', ['accessLogFormat'], { reason });
}

/** Values of every depth may hold operators; field names are taken as they are. */
function jsonFault(format: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(format);
  } catch {
    return 'it is not a JSON object, which accessLogEncoding JSON requires';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'it is not a JSON object, which accessLogEncoding JSON requires';
  }
  return valueFault(value);
}

function valueFault(value: unknown): string | undefined {
  if (typeof value === 'string') return formatStringFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const fault = valueFault(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
