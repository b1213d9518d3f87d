import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import type { SourceFile } from './document.ts';
import type { SourceLimits } from './limits.ts';

/** First line of what stands in a repository for a file that Git LFS keeps elsewhere. */
const lfsPointer = /^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\//;

/** What is wrong with a file as a whole, before any parser sees it; false after a report. */
export function isUsableText(file: SourceFile, bag: DiagnosticBag, limits: SourceLimits): boolean {
  const { text } = file;
  const at = (offset: number): SourceSpan => ({ file: file.path, start: offset, end: offset });
  if (file.isSizeChecked !== true && text.length > limits.maxFileBytes) {
    bag.report('file-too-large', at(0), { size: String(text.length), limit: String(limits.maxFileBytes) });
    return false;
  }
  if (lfsPointer.test(text)) {
    bag.report('git-lfs-pointer', at(0), {});
    return false;
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    bag.report('wrong-encoding', at(nul), { reason: 'it holds a NUL character' });
    return false;
  }
  const mark = text.indexOf('\uFEFF', 1);
  if (mark !== -1) {
    bag.report('wrong-encoding', at(mark), { reason: 'it has a byte order mark that is not at its beginning' });
    return false;
  }
  const lone = /\r(?!\n)/.exec(text);
  if (lone !== null) {
    bag.report('yaml-syntax', at(lone.index), { reason: 'a carriage return without a line feed' });
    return false;
  }
  return true;
}

/** The text of a file's bytes: UTF-8, with or without a byte order mark. A refusal says why, and at which byte. */
export function decode(bytes: Uint8Array): { readonly text: string } | { readonly refusal: string } {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return { refusal: 'it is UTF-16' };
  if (bytes.length > 1 && (a === 0 || b === 0)) return { refusal: 'it is UTF-16 or UTF-32, or not text' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // It tells no more than that.
    return { refusal: 'it holds bytes that are not UTF-8' };
  }
}
