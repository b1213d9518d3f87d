import { mkdirSync, writeFileSync } from 'node:fs';
import { manPages } from './pages.ts';

/** Writes the manual pages into a folder; package.json lists them, so that an installation links them. */
export function writeManPages(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of manPages()) writeFileSync(`${folder}/${file}`, text);
}
