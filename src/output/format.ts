import { Document, stringify, visit } from 'yaml';
import { isMisleading, visibleInQuotes } from '../diagnostics/formats/visible.ts';

/** Envoy reads both; YAML is for people. */
export type OutputFormat = 'json' | 'yaml';

/**
 * The text of a value: JSON with two spaces, or YAML without aliases and line folding, so that a diff shows what changed
 * and no more.
 */
export function textOf(value: unknown, format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const text = stringify(value, options);
  return visibleInQuotes(text) === text ? text : quotedYaml(value);
}

const options = { aliasDuplicateObjects: false, lineWidth: 0 };

/** YAML whose texts with control characters or direction marks are quoted, with escapes that mean the same. */
function quotedYaml(value: unknown): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && isMisleading(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return visibleInQuotes(document.toString(options));
}
