// What a program that was copied without its other files does. Part of the programs.
// Its modules of Node are asked for when it runs: an import of `fs` takes 2 ms, and an older Node must come so far.

/** Ends the program with 3 and one line where one of the files beside `url` is missing. Needs Node 22.3. */
export function endWithoutAnyOf(names, url) {
  const { existsSync } = process.getBuiltinModule('node:fs');
  for (const name of names) {
    const file = new URL(name, url);
    if (!existsSync(file)) endWithout(process.getBuiltinModule('node:url').fileURLToPath(file));
  }
}

export function endWithout(file) {
  const program = process.getBuiltinModule('node:path').basename(process.argv[1] ?? file);
  process.stderr.write(
    `${program}: "${file}" is missing: the program is more than this one file; copy all files of its folder, and link to it\n`,
  );
  process.exit(3);
}
