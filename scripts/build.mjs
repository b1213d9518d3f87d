// Bundles the programs into dist/: for each a small file that is called, which looks for Node's version and for the program's
// other files; ES modules, commands split off and loaded when they are asked for; what `meshpol compile`, `meshpol lint` and
// `pilot-agent` need as scripts with their compiled form beside them, for the Nodes at hand; and the programs of the agent's
// thread for large inputs, which few agents start, and of meshd's thread that compiles. Beside them, in dist/library/, the library, and in
// dist/man/ the manual pages.
import './tools/own-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { basename, delimiter, resolve } from 'node:path';
import { build } from 'esbuild';
import { wrapped } from './build/cached-script.mjs';
import { buildLibrary } from './build/library.mjs';
import { isOlder } from './build/needed-node.mjs';
import { buildParts } from './build/parts.mjs';
import {
  lazyBuiltins,
  lazyPackages,
  lazySchema,
  plainBuiltins,
  scriptInPlaceOf,
  unusedParts,
} from './build/plugins.mjs';
import { ThirdParty } from './build/third-party.mjs';

if (!existsSync('src/generated/validators.js') || !existsSync('src/generated/templates.js')) generate();
const programs = ['meshpol', 'pilot-agent', 'meshd'].filter((name) => existsSync(`src/bin/${name}.ts`));
const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const oldestNode = engines.node.replace('>=', '');

const thirdParty = new ThirdParty();
const shared = {
  bundle: true,
  platform: 'node',
  target: `node${oldestNode}`,
  // Names stay as they are, for stack traces; keeping them beside short ones would cost a call a function.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'process.env.MESH_VERSION': JSON.stringify(version) },
};

/** For the places that a log names; read only when they are asked for. `dist` is one folder higher than its place before. */
const maps = { sourcemap: 'linked', sourcesContent: false, sourceRoot: 'dist/' };

/** What serves Envoy its secrets, and as a client of meshd its configuration. */
const serving = [
  'src/agent/discovery/discovery-client.ts',
  'src/agent/discovery/listener-guard.ts',
  'src/agent/secrets/identity-service.ts',
];

/** Modules that a program imports when it needs them, each as a script with its compiled forms beside it. */
const cachedScripts = [
  {
    module: 'src/cli/compile-command.ts',
    script: 'compile.cjs',
    exported: 'runCompile',
    warmUps: ['warm-up-compile.mjs'],
  },
  {
    module: 'src/cli/lint-command.ts',
    script: 'lint.cjs',
    exported: 'runLint, inputNames, ruleNames',
    warmUps: ['warm-up-lint.mjs'],
  },
  {
    module: 'src/cli/agent/pilot-agent.ts',
    script: 'agent.cjs',
    exported: 'runPilotAgent',
    // What an agent needs before it starts Envoy comes first, and is all that a client of meshd reads until then.
    parts: [
      ['agent.cjs', ['src/cli/agent/proxy.ts', 'src/cli/agent/discovered-source.ts']],
      ['agent-api.cjs', ['src/envoy/version.ts']],
      ['agent-faults.cjs', ['src/diagnostics/registry.ts', 'node_modules/yaml/dist/index.js']],
      ['agent-expressions.cjs', ['node_modules/re2js/build/index.cjs']],
      ['agent-serving.cjs', serving],
      ['agent-compiler.cjs', ['src/cli/agent/compiled-source.ts', 'src/live/locate-workload.ts']],
      ['agent-rest.cjs', []],
    ],
    warmUps: ['warm-up-client.mjs', 'warm-up-agent.mjs'],
  },
];

// Beside its place first: a build that fails leaves the programs of the one before.
const made = '.cache/dist';
rmSync(made, { recursive: true, force: true });
for (const { module, script, parts } of cachedScripts) {
  const options = {
    ...shared,
    define: { ...shared.define, 'import.meta.dirname': '__dirname' },
    plugins: [lazySchema, unusedParts, lazyBuiltins, plainBuiltins, thirdParty.plugin],
  };
  if (parts !== undefined) {
    const plugins = [lazyPackages, ...options.plugins];
    await buildParts(module, parts, { ...options, ...maps, plugins, outdir: made });
  } else await buildWrapped({ ...options, entryPoints: [module], outfile: `${made}/${script}`, format: 'cjs' });
  for (const [file] of parts ?? [[script]]) {
    // They are read as Latin-1. The bundler escapes other letters, but not in regular expressions and tagged templates.
    const [letters] = /[^\0-\x7f]+/.exec(readFileSync(`${made}/${file}`, 'utf8')) ?? [];
    if (letters !== undefined) throw new Error(`${file} holds "${letters}": write it as \\u… where it comes from`);
  }
}
const threads = {
  'agent-compile': 'src/live/aside/compile-thread.ts',
  'meshd-compile': 'src/control/push/compile-worker.ts',
  'meshd-lint': 'src/control/status/lint-worker.ts',
  'meshd-admission': 'src/control/admission/admission-worker.ts',
};
for (const [name, entryPoint] of Object.entries(threads)) {
  await build({
    ...shared,
    entryPoints: [entryPoint],
    outfile: `${made}/${name}.cjs`,
    format: 'cjs',
    define: { ...shared.define, 'import.meta.dirname': '__dirname' },
    plugins: [lazySchema, unusedParts, lazyBuiltins, plainBuiltins, thirdParty.plugin],
  });
}
await buildLibrary(made, thirdParty);
const shebang = '#!/usr/bin/env node';
for (const name of programs) {
  if (name === 'pilot-agent') {
    await buildEntry(name);
    continue;
  }
  const { metafile } = await build({
    ...shared,
    entryPoints: [`src/bin/${name}.ts`],
    outdir: made,
    entryNames: '[name]-main',
    chunkNames: `${name}-[hash]`,
    splitting: true,
    metafile: true,
    format: 'esm',
    ...maps,
    banner: {
      js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);`,
    },
    plugins: [lazySchema, unusedParts, plainBuiltins, thirdParty.plugin, ...cachedScripts.map(scriptInPlaceOf)],
  });
  await buildFront(name, Object.keys(metafile.outputs));
}

/** A program of one file beside its parts, which tell by themselves when they are missing: a second module takes 2 ms to find. */
async function buildEntry(name) {
  const entry = resolve(`src/bin/${name}.ts`);
  const check = `import { endOnOlderNode } from './scripts/build/needed-node.mjs';
endOnOlderNode(${JSON.stringify(oldestNode)}, ${JSON.stringify(name)}, 'install a newer one');`;
  await build({
    ...shared,
    // As above.
    target: 'node12.20',
    stdin: {
      contents: `import 'check:node'; import ${JSON.stringify(entry)};`,
      resolveDir: '.',
      sourcefile: 'front.js',
    },
    outfile: `${made}/${name}.js`,
    format: 'esm',
    ...maps,
    banner: { js: shebang },
    plugins: [runFirst(check, entry), unusedParts, plainBuiltins, ...cachedScripts.map(scriptInPlaceOf)],
  });
}

/** Puts `contents` in the place of `check:node`, and keeps `entry`, which is imported for what it does. */
function runFirst(contents, entry) {
  return {
    name: 'run-first',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^check:node$/ }, ({ path }) => ({ path, namespace: 'run-first' }));
      onLoad({ filter: /.*/, namespace: 'run-first' }, () => ({ contents, resolveDir: '.', loader: 'js' }));
      onResolve({ filter: /\/src\/bin\// }, ({ path }) => (path === entry ? { path, sideEffects: true } : undefined));
    },
  };
}

/** A script as `runScript` takes it. */
async function buildWrapped(options) {
  await build(options);
  writeFileSync(options.outfile, wrapped(readFileSync(options.outfile, 'utf8')));
}

/** The file that is called: an older Node, or a missing import, ends the program before a line of it runs. */
async function buildFront(name, outputs) {
  const parts = outputs.filter((path) => path.endsWith('.js')).map((path) => basename(path));
  const contents = `import { endWithoutAnyOf } from './scripts/build/missing-file.mjs';
import { endOnOlderNode } from './scripts/build/needed-node.mjs';
endOnOlderNode(${JSON.stringify(oldestNode)}, ${JSON.stringify(name)}, 'install a newer one');
endWithoutAnyOf(${JSON.stringify(parts)}, import.meta.url);
import('./${name}-main.js');`;
  await build({
    ...shared,
    // Any Node that knows modules can read it, or it could not tell which one is needed.
    target: 'node12.20',
    stdin: { contents, resolveDir: '.' },
    outfile: `${made}/${name}.js`,
    external: ['./*-main.js'],
    format: 'esm',
    banner: { js: shebang },
  });
}

for (const node of nodesAtHand()) {
  // A failure is told and costs speed, nothing else.
  for (const { script, parts, warmUps } of cachedScripts) {
    for (const form of parts === undefined ? ['script'] : ['later-parts', 'first-part']) {
      const ahead = ['scripts/build/compile-ahead.mjs', `${made}/${script}`, form];
      const { status, stderr } = spawnSync(node, [...ahead, ...warmUps.map((name) => `scripts/build/${name}`)]);
      // An agent that could not start Envoy says so.
      if (status !== 0 || form !== 'first-part') process.stderr.write(stderr);
    }
  }
}
const { writeManPages } = await import('./man/write.ts');
writeManPages(`${made}/man`);
writeFileSync(`${made}/THIRD-PARTY-LICENSES.txt`, thirdParty.text());
for (const name of programs) await chmod(`${made}/${name}.js`, 0o755);
rmSync('dist', { recursive: true, force: true });
renameSync(made, 'dist');

/** Those of set-up, and that of the machine where it is new enough: one a version. */
function nodesAtHand() {
  const own = process.env.PATH.split(delimiter).map((folder) => `${folder}/node`);
  const versions = new Map();
  for (const node of ['.tools/bin/node', '.tools/bin/node22', ...own]) {
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
    const version = stdout?.trim();
    if (version && !isOlder(version, oldestNode) && !versions.has(version)) versions.set(version, node);
  }
  return versions.values();
}

/** Validators and templates, which `make build` makes first and a plain `npm run build` may lack. */
function generate() {
  const { status } = spawnSync(process.execPath, ['scripts/generate.mjs'], { stdio: 'inherit' });
  if (status === 0) return;
  console.error('build: src/generated cannot be made; "make generate" says why, and installs what it needs');
  process.exit(1);
}
