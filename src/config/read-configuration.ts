import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { type ConfigurationKind, validateConfiguration } from '../schema/validate-configuration.ts';
import { isBlankText } from '../source/blank.ts';
import type { PolicyDocument, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';

/** Far more than settings take; a text of this length is read in a fifth of a second at most. */
const longestConfiguration = 262_144;

const names: Readonly<Record<ConfigurationKind, string>> = {
  MeshConfig: 'the mesh configuration',
  ProxyConfig: 'the proxy configuration',
  ProjectFile: 'the project file',
  PolicyTest: 'the test of policies',
};

/**
 * The one document of a configuration text, checked by its schema; undefined for an empty text and for a faulty one. A
 * second document is a fault: nobody knows which of the two is meant.
 */
export function readConfiguration(
  file: SourceFile,
  kind: ConfigurationKind,
  bag: DiagnosticBag,
): PolicyDocument | undefined {
  if (isBlankText(file.text)) return undefined;
  if (file.text.length > longestConfiguration) {
    const sizes = { size: String(file.text.length), limit: String(longestConfiguration) };
    const hint = 'a configuration holds settings alone: policies and topology stand in files of their own';
    bag.report('file-too-large', { file: file.path, start: 0, end: 0 }, sizes, { hint });
    return undefined;
  }
  const [document, second] = parse([file], bag);
  if (second !== undefined) {
    bag.report('second-document', second.start, { what: names[kind] });
    return undefined;
  }
  return document !== undefined && validateConfiguration(kind, document, bag) ? document : undefined;
}
