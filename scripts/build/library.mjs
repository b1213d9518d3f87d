// The library: one module for Node and browsers with everything that it needs inside, and its types beside it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { lazySchema } from './plugins.mjs';

const declared = '.cache/library-types';

/** Bundles into `folder`/library. The types are checked without those of Node, so that no global of Node is used. */
export async function buildLibrary(folder) {
  await build({
    bundle: true,
    platform: 'browser',
    target: 'es2023',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    entryPoints: ['src/library/library.ts'],
    outfile: `${folder}/library/library.js`,
    format: 'esm',
    plugins: [lazySchema],
  });
  rmSync(declared, { recursive: true, force: true });
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'scripts/build/library.tsconfig.json'];
  const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the types of the library cannot be made: tsc says why above');
  mkdirSync(`${folder}/library`, { recursive: true });
  for (const name of publicTypes('library.d.ts')) {
    const text = readFileSync(`${declared}/src/library/${name}`, 'utf8');
    writeFileSync(`${folder}/library/${name}`, text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  rmSync(declared, { recursive: true, force: true });
}

/** The declarations that `entry` leads to. They may lead to no other room: a user would get the types of its insides. */
function publicTypes(entry) {
  const names = new Set([entry]);
  for (const name of names) {
    const text = readFileSync(`${declared}/src/library/${name}`, 'utf8');
    for (const [, path] of text.matchAll(/from '([^']+)'/g)) {
      const [, beside] = /^\.\/([\w-]+)\.ts$/.exec(path) ?? [];
      if (beside === undefined)
        throw new Error(`the library's ${name} shows types of "${path}": declare them in src/library`);
      names.add(`${beside}.d.ts`);
    }
  }
  return names;
}
