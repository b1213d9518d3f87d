// Bundles the programs into dist/: one ES module an entry, commands split off and loaded when they are asked for.
import { existsSync, readFileSync, rmSync } from 'node:fs';
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

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: programs.map((name) => `src/bin/${name}.ts`),
  outdir: 'dist',
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
for (const name of programs) await chmod(`dist/${name}.js`, 0o755);
