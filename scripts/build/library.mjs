// The library: one module for Node and browsers with everything that it needs inside, and its types beside it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { lazySchema } from './plugins.mjs';

const declared = '.cache/library-types';

/** Bundles into `folder`/library; `thirdParty` learns what of. The types are checked without those of Node, so that no global of Node is used. */
export async function buildLibrary(folder, thirdParty) {
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
    plugins: [lazySchema, thirdParty.plugin],
  });
  rmSync(declared, { recursive: true, force: true });
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'scripts/build/library.tsconfig.json'];
  const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the types of the library cannot be made: tsc says why above');
  mkdirSync(`${folder}/library`, { recursive: true });
  for (const [path, text] of publicTypes('library/library.d.ts')) {
    writeFileSync(`${folder}/library/${path.split('/')[1]}`, text.replaceAll(imports, "from './$<name>.js'"));
  }
  rmSync(declared, { recursive: true, force: true });
}

/** The declarations that may be shown: of the library, and of the files that are handed out. */
const imports = /from '(?<from>\.\/|\.\.\/(?<room>contracts|library)\/)(?<name>[\w-]+)\.ts'/g;

/** The declarations that `entry` leads to. They may lead to no other room: a user would get the types of its insides. */
function publicTypes(entry) {
  const texts = new Map();
  const wanted = [entry];
  for (const path of wanted) {
    const text = readFileSync(`${declared}/src/${path}`, 'utf8');
    texts.set(path, text);
    const led = [...text.matchAll(imports)].map(
      ({ groups }) => `${groups.room ?? path.split('/')[0]}/${groups.name}.d.ts`,
    );
    if (led.length !== (text.match(/from '/g) ?? []).length)
      throw new Error(
        `the library's ${path} shows types of another room: declare them in src/library or src/contracts`,
      );
    wanted.push(...led.filter((other) => !wanted.includes(other)));
  }
  return texts;
}
