import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import schema from '../../src/envoy/api/schema.json' with { type: 'json' };

interface PartsModule {
  buildParts(entry: string, parts: readonly (readonly [string, readonly string[]])[], options: object): Promise<void>;
}
interface CachedScriptModule {
  runParts(file: string): {
    readonly exports: { readonly used: Readonly<Record<'expression' | 'document' | 'code', () => unknown>> };
    readonly scripts: ReadonlyMap<string, unknown>;
  };
}

const { buildParts }: PartsModule = await import(new URL('parts.mjs', import.meta.url).href);
const { runParts }: CachedScriptModule = await import(new URL('cached-script.mjs', import.meta.url).href);
const { lazyBuiltins, lazyPackages, lazySchema, plainBuiltins, unusedParts }: Readonly<Record<string, Plugin>> =
  await import(new URL('plugins.mjs', import.meta.url).href);
const root = resolve(import.meta.dirname, '../..');
const options = {
  ...{ bundle: true, platform: 'node', format: 'cjs', absWorkingDir: root },
  define: { 'import.meta.dirname': '__dirname' },
} satisfies BuildOptions;

/** A script of one module in the folder of the sources, bundled with the plugin. */
async function bundled(contents: string, plugin: Plugin | undefined, format: 'cjs' | 'esm' = 'cjs'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, format === 'cjs' ? 'a.cjs' : 'a.mjs');
  const stdin = { contents, resolveDir: join(root, 'src/envoy/api'), loader: 'ts' } as const;
  await build({ ...options, format, stdin, outfile, plugins: plugin === undefined ? [] : [plugin] });
  return outfile;
}

test('a module of Node that is imported is loaded when it is used', async () => {
  const contents = `import { constants } from 'node:http2';
const isLoaded = () => process.moduleLoadList.includes('NativeModule http2');
console.log(isLoaded(), constants.HTTP2_HEADER_PATH, isLoaded());`;
  const { stdout } = spawnSync(process.execPath, [await bundled(contents, lazyBuiltins)], { encoding: 'utf8' });
  expect(stdout).toBe('false :path true\n');
});

test('packages and the register of codes are in parts of their own, and are read and run when they are used', async () => {
  const contents = `import { RE2JS } from 're2js';
import { parse } from 'yaml';
import { registry } from '../../diagnostics/registry.ts';
export const used = {
  expression: () => RE2JS.matches('a+', 'aa'),
  document: () => parse('a: 1').a,
  code: () => registry['empty-file'].severity,
};`;
  const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entry = 'src/envoy/api/lazy-packages-entry.ts';
  const virtual: Plugin = {
    name: 'entry',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /lazy-packages-entry/ }, () => ({ path: join(root, entry) }));
      onLoad({ filter: /lazy-packages-entry/ }, () => ({ contents, loader: 'ts' }));
    },
  };
  const later = [
    ['expressions.cjs', ['node_modules/re2js/build/index.cjs']],
    ['documents.cjs', ['node_modules/yaml/dist/index.js']],
    ['codes.cjs', ['src/diagnostics/registry.ts']],
  ] as const;
  const plugins = [virtual, lazyPackages];
  await buildParts(entry, [['first.cjs', []], ...later], { ...options, format: undefined, plugins, outdir: folder });
  const { exports, scripts } = runParts(join(folder, 'first.cjs'));
  const read = (): readonly string[] => [...scripts.keys()].map((path) => basename(path, '.cjs'));
  expect(read()).toEqual(['first']);
  const { expression, document, code } = exports.used;
  expect([expression(), read()]).toEqual([true, ['first', 'expressions']]);
  expect([document(), document(), read()]).toEqual([1, 1, ['first', 'expressions', 'documents']]);
  expect([code(), read()]).toEqual(['warning', ['first', 'expressions', 'documents', 'codes']]);
});

test('an ES module gets what it imports of Node, and loads nothing that only other exports need', async () => {
  const contents = `import events, { EventEmitter } from 'node:events';
import fs, { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import own from 'node:process';
import { stripVTControlCharacters } from 'node:util';
const right = [events === EventEmitter, fs.existsSync === existsSync, own === process, stripVTControlCharacters('a')];
const loaded = ['stream', 'string_decoder', 'worker_threads', 'net', 'tty'].filter((name) =>
  process.moduleLoadList.includes('NativeModule ' + name));
process.stdout.write(JSON.stringify([...right, ...loaded]));
process.stdout.write(String(spawnSync('true').status));`;
  const { stdout } = spawnSync(process.execPath, [await bundled(contents, plainBuiltins, 'esm')], { encoding: 'utf8' });
  expect(stdout).toBe('[true,true,true,"a"]0');
});

test('pino writes to the stream that it is given, and refuses to make one of its own', async () => {
  const contents = `import pino from 'pino';
pino({ base: null, timestamp: false }, { write: (line) => process.stdout.write(line) }).info('told');
for (const make of [() => pino(), () => pino.destination(1)]) {
  try { make(); console.log('made'); } catch (error) { console.log(error.message); }
}`;
  const { stdout } = spawnSync(process.execPath, [await bundled(contents, unusedParts)], { encoding: 'utf8' });
  const refused = 'pino is built without streams of its own: call pino(options, stream)';
  expect(stdout.trimEnd().split('\n')).toEqual(['{"level":30,"msg":"told"}', refused, refused]);
});

test('the schema of Envoy says the same in the programs', async () => {
  const contents = "export { default } from './schema.json';";
  const file = await bundled(contents, lazySchema);
  const built: { readonly default: object } = createRequire(file)(file);
  expect(JSON.parse(JSON.stringify(built.default))).toEqual(schema);
});

test('what stands between the start of the agent and that of Envoy has no gRPC, protobuf, certificates, templates, rules of policies and schema of Envoy to load', async () => {
  const entry = 'src/cli/agent/proxy.ts';
  const { metafile } = await build({
    ...options,
    entryPoints: [entry],
    write: false,
    metafile: true,
    outfile: 'a.cjs',
  });
  const met = new Set([entry]);
  for (const file of met) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') met.add(path);
  }
  const heavy =
    /node_modules\/(@grpc\/grpc-js|protobufjs|@peculiar\/x509|handlebars|execa)\/|generated\/validators\.js|api\/schema\.json/;
  expect([...met].filter((file) => heavy.test(file))).toEqual([]);
  expect(met.size).toBeGreaterThan(300);
});
