import type { SourceFile } from '../source/document.ts';

/** How much was read, and where most of it stands. */
export interface ReadFiles {
  readonly count: number;
  readonly characters: number;
  /** At most three, the largest first. */
  readonly largest: readonly { readonly path: string; readonly characters: number }[];
}

/** Sizes of the files, without their texts. */
export function measureFiles(files: readonly SourceFile[]): ReadFiles {
  const sizes = files.map(({ path, text }) => ({ path, characters: text.length }));
  sizes.sort((a, b) => b.characters - a.characters);
  const characters = sizes.reduce((sum, size) => sum + size.characters, 0);
  return { count: files.length, characters, largest: sizes.slice(0, 3) };
}

/** Names what to make smaller: `; the largest of 12 files (31 MiB): mesh/a.yaml (30 MiB), …`; empty where nothing is known. */
export function tellLargest(read: ReadFiles | undefined): string {
  if (read === undefined || read.count === 0) return '';
  const named = read.largest.map(({ path, characters }) => `${path} (${sizeText(characters)})`).join(', ');
  if (read.count === 1) return `; the input: ${named}`;
  return `; the largest of ${read.count} files (${sizeText(read.characters)}): ${named}`;
}

/** Characters as people read sizes. */
export function sizeText(characters: number): string {
  if (characters < 2 ** 10) return `${characters} B`;
  return characters < 2 ** 20 ? `${Math.ceil(characters / 2 ** 10)} KiB` : `${Math.ceil(characters / 2 ** 20)} MiB`;
}
