import { operators } from './log-operators.ts';

const operator = /%(?:%|([A-Z0-9_]+)(?:\((.*?)\))?(?::([0-9]+))?%)/y;

/** Why Envoy would refuse a text with command operators, by its own grammar; undefined when it would not. */
export function formatStringFault(format: string): string | undefined {
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
