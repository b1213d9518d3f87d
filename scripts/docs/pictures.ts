import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from './picture.ts';

const folder = 'docs/explanation/pictures';

/** The SVG of each text of `docs/explanation/pictures`: path and text. */
export function pictures(): readonly (readonly [path: string, text: string])[] {
  const sources = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  return sources.map((name) => [
    join(folder, name.replace(/\.txt$/, '.svg')),
    picture(readFileSync(join(folder, name), 'utf8')),
  ]);
}
