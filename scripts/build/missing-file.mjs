// What a program that was copied without its other files does. Part of the programs.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Ends the program with 3 and one line where one of the files beside `url` is missing. */
export function endWithoutAnyOf(names, url) {
  for (const name of names) {
    const file = fileURLToPath(new URL(name, url));
    if (!existsSync(file)) endWithout(file);
  }
}

export function endWithout(file) {
  const program = basename(process.argv[1] ?? file);
  process.stderr.write(
    `${program}: "${file}" is missing: the program is more than this one file; copy all files of its folder, and link to it\n`,
  );
  process.exit(3);
}
