import type { SourceText } from '../diagnostics/placed.ts';
import { lineStarts, type SourceSpan } from '../diagnostics/span.ts';
import type { SettingOrigin } from './settings.ts';

/** The line of a file that gives a setting its value; undefined for a variable, a flag, and a file that is not at hand. */
export function settingSpan({ detail }: SettingOrigin, files: readonly SourceText[]): SourceSpan | undefined {
  const [, path, line = ''] = /^(.*):(\d+)$/.exec(detail) ?? [];
  const file = files.find((it) => it.path === path);
  if (file === undefined) return undefined;
  const start = lineStarts(file.text)[Number(line) - 1] ?? 0;
  const text = /[^\r\n]*/.exec(file.text.slice(start))?.[0] ?? '';
  return { file: file.path, start: start + text.length - text.trimStart().length, end: start + text.trimEnd().length };
}
