// Bundles the programs into dist/: one ES module an entry, commands split off and loaded when they are asked for; what
// `meshpol compile` needs as a script with its compiled form beside it, for the Node at hand and Node 24.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';
import { lazySchema, scriptInPlaceOf } from './build/plugins.mjs';

const programs = ['meshpol', 'pilot-agent', 'meshd'].filter((name) => existsSync(`src/bin/${name}.ts`));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Names stay as they are, for stack traces; keeping them beside short ones would cost a call a function.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'process.env.MESH_VERSION': JSON.stringify(version) },
};

// Beside its place first: a build that fails leaves the programs of the one before.
const made = '.cache/dist';
rmSync(made, { recursive: true, force: true });
const compileScript = 'compile.cjs';
await build({
  ...shared,
  entryPoints: ['src/cli/compile-command.ts'],
  outfile: `${made}/${compileScript}`,
  format: 'cjs',
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
  plugins: [lazySchema],
});
for (const name of programs) {
  await build({
    ...shared,
    entryPoints: [`src/bin/${name}.ts`],
    outdir: made,
    chunkNames: `${name}-[hash]`,
    splitting: true,
    format: 'esm',
    // For the places that a log names; read only when they are asked for. `dist` is one folder higher than its place before.
    sourcemap: 'linked',
    sourcesContent: false,
    sourceRoot: 'dist/',
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    plugins: [lazySchema, scriptInPlaceOf('src/cli/compile-command.ts', compileScript, 'runCompile')],
  });
}
for (const node of [process.execPath, '.tools/bin/node24'].filter((path) => existsSync(path))) {
  // A failure is told and costs speed, nothing else.
  spawnSync(node, ['scripts/build/compile-ahead.mjs', `${made}/${compileScript}`], { stdio: 'inherit' });
}
for (const name of programs) await chmod(`${made}/${name}.js`, 0o755);
rmSync('dist', { recursive: true, force: true });
renameSync(made, 'dist');
