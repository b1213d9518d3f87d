import { RE2JS } from 're2js';
import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Report } from '../rule.ts';

/** Envoy compiles expressions with RE2; a JavaScript one may be none. At most 1024 characters, as in the original. */
export function checkRegex(pattern: string, path: JsonPath, report: Report): void {
  const reason = faultOf(pattern);
  if (reason !== undefined) report('invalid-regex', path, { field: String(path.at(-1)), reason });
}

function faultOf(pattern: string): string | undefined {
  if (pattern === '') return 'it is empty';
  if (pattern.length > 1024) return 'it is longer than 1024 characters';
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (cause) {
    // The library has no other way to say that a pattern is wrong.
    return cause instanceof Error ? cause.message : String(cause);
  }
}
