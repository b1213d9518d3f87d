import { RE2JS } from 're2js';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { Report } from '../rule.ts';

/** Envoy compiles expressions with RE2; a JavaScript one may be none. At most 1024 characters, as in Istio. */
export function checkRegex(pattern: string, path: JsonPath, report: Report): void {
  const reason = faultOf(pattern);
  if (reason === undefined) return;
  const hint = isBeyondRe2.test(pattern) ? 'RE2 has no lookaround and no backreferences' : undefined;
  report('invalid-regex', path, { field: String(path.at(-1)), reason }, { hint });
}

/** Lookaround, atomic groups, and references to groups. */
const isBeyondRe2 = /\(\?(?:[=!>]|<[=!])|\\[1-9]|\\k/;

/**
 * Only counted repetition makes more of 1024 characters. Envoy counts the instructions for bytes, up to 15 for one of
 * these (`\pP`), and takes 100,000 by our bootstrap; RE2 searches in time linear in their number.
 */
const mostInstructions = 5_000;

function faultOf(pattern: string): string | undefined {
  if (pattern === '') return 'it is empty';
  if (pattern.length > 1024) return 'it is longer than 1024 characters';
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > mostInstructions
      ? `its program has ${size} instructions, expected at most ${mostInstructions}`
      : undefined;
  } catch (cause) {
    // The library has no other way to say that a pattern is wrong.
    return cause instanceof Error ? cause.message : String(cause);
  }
}
