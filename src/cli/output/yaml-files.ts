import { stringify } from 'yaml';
import type { OutputFile } from './plan.ts';

/** The same files in YAML, for people; Envoy reads both. */
export function* yamlFiles(files: Iterable<OutputFile>): Generator<OutputFile> {
  for (const { path, text } of files) {
    yield { path: path.replace(/\.json$/, '.yaml'), text: yamlText(JSON.parse(text)) };
  }
}

/** YAML without aliases and line folding, so that a diff shows what changed and no more. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
