import type { SourceText } from '../diagnostics/placed.ts';
import type { Finding, Fix } from './finding.ts';

/**
 * Findings, with those fixes alone that change nothing else: a text over several lines ends with the line end that
 * separates it from the next item, a value with an anchor stands in other places too, and of a field of a very large document
 * the place is not known.
 */
export function withSafeFixes(findings: readonly Finding[], files: readonly SourceText[]): readonly Finding[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const shared = new Map<string, boolean>();
  const sharesValues = (file: string): boolean => {
    const known = shared.get(file) ?? hasAlias(texts.get(file) ?? '');
    shared.set(file, known);
    return known;
  };
  const isSafe = ({ edits }: Fix): boolean =>
    edits.every(
      ({ span: { file, start, end, isVague } }) =>
        isVague !== true && !/[\r\n]/.test(texts.get(file)?.slice(start, end) ?? '') && !sharesValues(file),
    );
  return findings.map((finding) => {
    if (finding.fix === undefined || isSafe(finding.fix)) return finding;
    const { fix: _fix, ...rest } = finding;
    return rest;
  });
}

/** Whether a text may name a value and use it again; what only looks so, as in a comment, counts too. */
function hasAlias(text: string): boolean {
  if (!text.includes('&')) return false;
  const anchors = new Set(namesBehind('&', text));
  return namesBehind('*', text).some((name) => anchors.has(name));
}

function namesBehind(sign: '&' | '*', text: string): readonly string[] {
  const marks = text.matchAll(/(?<![^\s,[\]{}])([&*])([^\s,[\]{}]+)/g);
  return [...marks].flatMap(([, found, name = '']) => (found === sign ? [name] : []));
}
