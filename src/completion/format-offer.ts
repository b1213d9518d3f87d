import type { Offer } from './value-source.ts';

/**
 * A line for each word, with its description behind a tab; then, where a path may stand, `:files` or `:folders` behind
 * the number of characters before it.
 */
export function formatOffer({ words = [], paths, pathStart = 0 }: Offer): string {
  const lines = words.map(({ word, description }) => (description === '' ? word : `${word}\t${oneLine(description)}`));
  if (paths !== undefined) lines.push(`:${paths}:${pathStart}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Menus are narrow. */
function oneLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
