// Bundles the programs into dist/: one ES module an entry, commands split off and loaded when they are asked for.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';

const programs = ['meshpol', 'pilot-agent', 'meshd'].filter((name) => existsSync(`src/bin/${name}.ts`));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** A large JSON file starts faster as text that JSON.parse reads than as an object literal. */
const jsonAsText = {
  name: 'json-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /schema\.json$/ }, ({ path }) => ({
      contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))))});`,
      loader: 'js',
    }));
  },
};

// Beside its place first: a build that fails leaves the programs of the one before.
const made = '.cache/dist';
rmSync(made, { recursive: true, force: true });
await build({
  entryPoints: programs.map((name) => `src/bin/${name}.ts`),
  outdir: made,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'process.env.MESH_VERSION': JSON.stringify(version) },
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [jsonAsText],
});
for (const name of programs) await chmod(`${made}/${name}.js`, 0o755);
rmSync('dist', { recursive: true, force: true });
renameSync(made, 'dist');
