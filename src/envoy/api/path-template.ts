/**
 * Says what is wrong with a path template of Envoy's `uri_template` extensions, else undefined. The grammar is that of
 * Envoy's own parser (source/extensions/path/uri_template_lib): segments are a literal, `*`, `**`, or a variable
 * `{name}`, `{name=pattern}`; text may follow a variable, and the last operator, directly. With an invalid template Envoy
 * does not report an error: it aborts.
 */
export function templateFault(template: string): string | undefined {
  if (!/^\/[!-~]*$/.test(template)) return 'must start with "/" and hold printable ASCII only';
  const state: State = { variables: new Set(), hasTextGlob: false };
  let rest = template.slice(1);
  while (rest !== '') {
    const segment = readSegment(rest, state);
    if (typeof segment === 'string') return segment;
    rest = rest.slice(segment.length);
    if (rest === '' || rest === '/') return undefined;
    if (rest.startsWith('/')) {
      rest = rest.slice(1);
    } else if (segment.kind === 'operator') {
      return literal.test(rest)
        ? undefined
        : `has "${rest}" after its last operator, expected plain characters without "/"`;
    }
  }
  return undefined;
}

interface State {
  readonly variables: Set<string>;
  /** Whether a `**` has been met: no other operator may follow it. */
  hasTextGlob: boolean;
}

interface Segment {
  readonly kind: 'literal' | 'operator' | 'variable';
  readonly length: number;
}

/** Unreserved characters, sub-delimiters, `%`, `:` and `@` of RFC 3986; `*` within a literal is a character. */
const literal = /^[a-zA-Z0-9\-._~%!$&'()*+,;=:@]+$/;
const variableName = /^[a-zA-Z][a-zA-Z0-9_]{0,15}$/;
const mostVariables = 5;

function readSegment(rest: string, state: State): Segment | string {
  if (rest.startsWith('*')) {
    const operator = rest.startsWith('**') ? '**' : '*';
    return operatorFault(operator, state) ?? { kind: 'operator', length: operator.length };
  }
  if (rest.startsWith('{')) {
    const end = rest.indexOf('}');
    if (end === -1) return 'has "{" without "}"';
    const tail = /^[^/]*/.exec(rest.slice(end + 1))?.[0] ?? '';
    if (tail !== '' && !literal.test(tail)) return `has "${tail}" after a variable, expected plain characters`;
    return variableFault(rest.slice(1, end), state) ?? { kind: 'variable', length: end + 1 + tail.length };
  }
  const text = rest.slice(0, /[/{]|$/.exec(rest)?.index);
  if (text === '') return 'has an empty segment';
  return literal.test(text)
    ? { kind: 'literal', length: text.length }
    : `has the segment "${text}", expected plain characters`;
}

function operatorFault(operator: string, state: State): string | undefined {
  if (state.hasTextGlob) return 'has an operator after "**", which must be the last';
  state.hasTextGlob = operator === '**';
  return undefined;
}

function variableFault(text: string, state: State): string | undefined {
  const [name = '', ...patterns] = text.split('=');
  if (!variableName.test(name))
    return `has the variable "${name}", expected a letter, then letters, digits and "_", at most 16`;
  if (state.variables.has(name)) return `has the variable "${name}" twice`;
  state.variables.add(name);
  if (state.variables.size > mostVariables) return `has more than ${mostVariables} variables`;
  if (patterns.length === 0) return operatorFault('*', state);
  for (const part of patterns.join('=').split('/')) {
    const isOperator = part === '*' || part === '**';
    const fault = isOperator ? operatorFault(part, state) : undefined;
    if (fault !== undefined) return fault;
    if (!isOperator && (part.startsWith('*') || !literal.test(part))) return `has the segment "${part}" in a variable`;
  }
  return undefined;
}
