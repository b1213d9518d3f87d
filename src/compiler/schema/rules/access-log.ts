import type { JsonObject } from '../../source/document.ts';
import type { Report } from '../rule.ts';
import { operators } from './log-operators.ts';

/** Envoy refuses the listener of a format that it cannot read, so it is read here first, by the same grammar. */
export function checkAccessLog({ accessLogFormat: format, accessLogEncoding }: JsonObject, report: Report): void {
  if (typeof format !== 'string' || format === '') return;
  const reason = accessLogEncoding === 'JSON' ? jsonFault(format) : textFault(format);
  if (reason !== undefined) report('invalid-access-log-format', ['accessLogFormat'], { reason });
}

/** Values of every depth may hold operators; field names are taken as they are. */
function jsonFault(format: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(format);
  } catch {
    return 'it is no JSON object, which accessLogEncoding JSON asks for';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'it is no JSON object, which accessLogEncoding JSON asks for';
  }
  return valueFault(value);
}

function valueFault(value: unknown): string | undefined {
  if (typeof value === 'string') return textFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const fault = valueFault(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const operator = /%(?:%|([A-Z0-9_]+)(?:\((.*?)\))?(?::([0-9]+))?%)/y;

function textFault(format: string): string | undefined {
  for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', operator.lastIndex)) {
    operator.lastIndex = at;
    const found = operator.exec(format);
    if (found === null) return `no operator starts at "${firstOf(format.slice(at))}" (a percent sign is written "%%")`;
    const [, name, parameters, length] = found;
    const fault = name === undefined ? undefined : operatorFault(name, parameters ?? '', length !== undefined);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function operatorFault(name: string, parameters: string, hasLength: boolean): string | undefined {
  const shape = operators.get(name);
  switch (shape) {
    case undefined:
      return `Envoy has no operator "${name}"`;
    case 'special':
      return undefined;
    case 'bare':
    case 'length':
      if (parameters !== '') return `"${name}" takes no parameters`;
      break;
    case 'header':
      if (!headerNames.test(parameters)) return `"${name}" takes one header name, or two with "?" between them`;
      break;
    case 'name':
      if (parameters === '') return `"${name}" needs a parameter`;
      break;
    case 'optional':
      break;
  }
  return hasLength && (shape === 'bare' || shape === 'optional') ? `"${name}" takes no length` : undefined;
}

const headerNames = /^:?[\w!#$%&'*+.^`|~-]+(\?:?[\w!#$%&'*+.^`|~-]+)?$/;

function firstOf(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 20 ? `${line.slice(0, 20)}…` : line;
}
