// Runs a TypeScript program on any Node: `run-ts.mjs FILE [ARG…]`. Node 20 cannot strip types itself.
import { mkdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [, , file, ...rest] = process.argv;
const outfile = resolve('.cache/run', `${basename(file, '.ts')}.mjs`);
mkdirSync('.cache/run', { recursive: true });
await build({
  entryPoints: [file],
  outfile,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
process.argv = [process.argv[0], outfile, ...rest];
await import(pathToFileURL(outfile).href);
