import type { HeaderMatchIR } from '../../ir/rbac.ts';
import { patternOf, quoteRegex, type Sense, textMatch } from './pattern.ts';

/**
 * A request header. Where a match takes access away, every member of a comma-joined list is looked at, and of cookies each
 * (RFC 6265, section 4.2.1; Envoy joins those of HTTP/2 the same way), and blanks around it are not: Envoy does not trim
 * values of HTTP/2, applications do.
 */
export function headerMatch(name: string, value: string, sense: Sense): HeaderMatchIR {
  const pattern = patternOf(value);
  const header = { kind: 'header', name: name.toLowerCase() } as const;
  if (pattern.kind === 'any') return { ...header, match: 'present' };
  if (sense === 'gives') return { ...header, match: textMatch(pattern) };
  const text = quoteRegex(pattern.text);
  const separator = header.name === 'cookie' ? '[,;]' : ',';
  const before = pattern.kind === 'suffix' ? '.*' : `(.*${separator})?[ \\t]*`;
  const after = pattern.kind === 'prefix' ? '.*' : `[ \\t]*(${separator}.*)?`;
  return { ...header, match: { kind: 'regex', value: `${before}${text}${after}` } };
}

/** The method in any case where a match takes access away: HTTP/2 lets `post` through. */
export function methodMatch(value: string, sense: Sense): HeaderMatchIR {
  const pattern = patternOf(value);
  const match = pattern.kind === 'any' ? 'present' : textMatch(pattern, sense === 'takes');
  return { kind: 'header', name: ':method', match };
}
