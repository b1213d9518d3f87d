import { stringify } from 'yaml';

/** Envoy reads both; YAML is for people. */
export type OutputFormat = 'json' | 'yaml';

/**
 * The text of a value: JSON with two spaces, or YAML without aliases and line folding, so that a diff shows what changed
 * and no more.
 */
export function textOf(value: unknown, format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
