// Runs a TypeScript program on any Node: `run-ts.mjs FILE [ARG…]`. Node 20 cannot strip types itself.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [, , file, ...rest] = process.argv;
const folder = resolve('.cache/run');
// Of the whole path: two programs may have one name.
const outfile = resolve(folder, `${relative('.', file).replace(/\.ts$/, '').replaceAll('/', '-')}.mjs`);
const { outputFiles } = await build({
  entryPoints: [file],
  outfile,
  write: false,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
mkdirSync(folder, { recursive: true });
// Put in place whole: another run may be loading the file, and half of a module may be a module that does nothing.
const written = `${outfile}.${process.pid}`;
writeFileSync(written, outputFiles[0].contents);
renameSync(written, outfile);
process.argv = [process.argv[0], outfile, ...rest];
await import(pathToFileURL(outfile).href);
