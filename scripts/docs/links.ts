import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Relative links of a Markdown page that lead to no file, or to no heading of their file. */
export function brokenLinks(path: string): readonly string[] {
  return linksOf(readFileSync(path, 'utf8')).filter((link) => !leadsSomewhere(path, link));
}

function linksOf(text: string): readonly string[] {
  const inline = Array.from(withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g), ([, link = '']) => link);
  return inline.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : join(dirname(path), file);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor);
}

/** Anchors as GitHub makes them from headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = Array.from(withoutFences(text).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutFences(text: string): string {
  return text.replace(/^([ \t]*)(`{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm, '');
}

function withoutCode(text: string): string {
  return withoutFences(text).replace(/(`+)[^`][\s\S]*?\1/g, '');
}
