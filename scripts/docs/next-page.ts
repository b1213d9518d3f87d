import { dirname, relative } from 'node:path';
import { parts } from './contents.ts';
import { pagePaths, titleOf } from './index-pages.ts';

const footer = /\n+---\n\nNext: .*\n$/;

/** The text of a page with the link to the next page at its end, in place of the one that it has. */
export function withNextPage(path: string, text: string): string {
  const pages = pagePaths();
  const next = pages[pages.indexOf(path) + 1];
  const body = text.replace(footer, '\n');
  if (next === undefined) return body;
  return `${body}\n---\n\nNext: [${nextTitle(next)}](${relative(dirname(path), next)})\n`;
}

function nextTitle(path: string): string {
  const index = parts.find(({ folder }) => path === `docs/${folder}/README.md`);
  return index?.title ?? titleOf(path);
}
