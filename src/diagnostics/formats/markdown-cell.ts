import { visible } from './visible.ts';

/** A text as a cell of a table of Markdown: whatever it says does not become a link, an image, a mention or markup of the page. */
export function markdownCell(text: string): string {
  return visible(text.replaceAll('\n', ' '))
    .replaceAll(/[\\`*_{}[\]<>()#+!|~@&-]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\s+/g, ' ');
}
