// esbuild plugins of the build.
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, resolve } from 'node:path';

/** A schema of Envoy's API as texts, one a message, each parsed when it is first asked for. */
export const lazySchema = {
  name: 'lazy-schema',
  setup({ onLoad }) {
    onLoad({ filter: /api\/schema\.json$/ }, ({ path }) => ({
      contents: `${lazily}\nexport default ${lazyNode(JSON.parse(readFileSync(path, 'utf8')))};`,
      loader: 'js',
    }));
  },
};

const lazily = `function lazily(texts) {
  const parsed = (name) => typeof texts[name] === 'string' ? (texts[name] = JSON.parse(texts[name])) : texts[name];
  return new Proxy(texts, { get: (_, name) => parsed(name) });
}`;

/** Packages as they are, the messages and enums in them as texts. */
function lazyNode({ nested, ...rest }) {
  const children = Object.entries(nested).map(([name, child]) => {
    const isPackage = child.fields === undefined && child.values === undefined;
    return `${JSON.stringify(name)}: ${isPackage ? lazyNode(child) : JSON.stringify(JSON.stringify(child))}`;
  });
  return `{ ...${JSON.stringify(rest)}, nested: lazily({ ${children.join(', ')} }) }`;
}

/** Modules of Node that a start seldom needs, each loaded when something of it is first used. */
export const lazyBuiltins = builtinsOf(
  /^(node:)?(crypto|dgram|dns|dns\/promises|http|http2|https|tls|worker_threads|zlib)$/,
  (path) => `require('${path}')`,
);

/**
 * Packages, and a module of ours, that a start seldom needs, in a program in parts (see `buildParts`): each is read and runs
 * when something of it is first used.
 */
export const lazyPackages = {
  name: 'lazy-packages',
  setup({ onResolve, onLoad, resolve }) {
    onResolve(
      { filter: /^(re2js|yaml)$|\/registry\.ts$/ },
      async ({ path, kind, pluginData, resolveDir, importer }) => {
        if (pluginData === lazyPackages || kind !== 'import-statement' || importer.includes('node_modules'))
          return undefined;
        const { path: file } = await resolve(path, { kind: 'require-call', resolveDir, pluginData: lazyPackages });
        if (path.includes('/') && !file.endsWith('/src/diagnostics/registry.ts')) return undefined;
        return {
          path: basename(path),
          namespace: 'lazy-package',
          pluginData: { file, name: path.includes('/') ? file : path },
        };
      },
    );
    onLoad({ filter: /.*/, namespace: 'lazy-package' }, async ({ pluginData: { file, name } }) => {
      const names = Object.keys(await import(name)).filter((each) => /^(?!default$)\w+$/.test(each));
      const getters = names.map((each) => `get ${each}() { return all().${each}; }`);
      const load = `const { default: whole, ...named } = lazyPart(() => import(${JSON.stringify(file)}));`;
      const all = `let kept; const all = () => { if (kept === undefined) { ${load} kept = whole ?? named; } return kept; };`;
      return { contents: `${all} module.exports = { ${getters.join(', ')} };`, loader: 'js', resolveDir: '/' };
    });
  },
};

/**
 * Modules of Node in an ES module, without Node's form of them as ES modules. To make that form, Node reads each export
 * once: of `process` this opens the three standard streams, of `fs` and `util` it loads a dozen other modules, 6 ms in all.
 */
export const plainBuiltins = {
  name: 'plain-builtins',
  setup(build) {
    // Commander asks for it, for commands that are programs of their own; we have none.
    builtinsOf(/^(node:)?child_process$/, builtin).setup(build);
    const filter = new RegExp(`^(node:)?(${builtinModules.join('|')})$`);
    build.onResolve({ filter }, ({ path, kind }) => ({
      path,
      namespace: kind === 'require-call' ? 'required-builtin' : 'imported-builtin',
    }));
    build.onLoad({ filter: /.*/, namespace: 'required-builtin' }, ({ path }) => ({
      contents: `module.exports = ${builtin(path)};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /.*/, namespace: 'imported-builtin' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      // What nobody imports the bundler leaves out, and then it is not read.
      const reads = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
      return { contents: [`const builtin = ${builtin(path)};`, 'export default builtin;', ...reads].join('\n') };
    });
  },
};

function builtin(path) {
  return `process.getBuiltinModule('${path}')`;
}

function builtinsOf(filter, load) {
  return {
    name: 'lazy-builtins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter }, ({ path, pluginData, namespace }) =>
        namespace === 'lazy-builtin' ? { path, external: true } : { path, namespace: 'lazy-builtin', pluginData },
      );
      onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, async ({ path }) => {
        const names = Object.keys(await import(path)).filter((name) => name !== 'default');
        const getters = names.map((name) => `get ${name}() { return ${load(path)}.${name}; }`);
        return { contents: `module.exports = { ${getters.join(', ')} };`, loader: 'js' };
      });
    },
  };
}

/** In place of the stream that pino makes where it is given none: with an empty one, its lines would be lost. */
const noStreamOfItsOwn = `module.exports = class {
  constructor() {
    throw new Error('pino is built without streams of its own: call pino(options, stream)');
  }
};`;

/** Parts of libraries that no program of ours uses, and that load much when they are loaded: left out. */
export const unusedParts = {
  name: 'unused-parts',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\/sonic-boom\/index\.js$/ }, () => ({ contents: noStreamOfItsOwn, loader: 'js' }));
    onResolve({ filter: /^worker_threads$/ }, ({ path, importer }) =>
      /\/pino\/lib\/tools\.js$/.test(importer) ? { path, namespace: 'unused-part' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unused-part' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    const filter = /\/(prom-client\/lib\/(cluster|defaultMetrics|pushgateway)|pino\/lib\/transport)\.js$/;
    onLoad({ filter }, () => ({ contents: 'module.exports = undefined;', loader: 'js' }));
  },
};

/** A module that the program imports when it needs it, as a script of its own beside the program, or as parts. */
export function scriptInPlaceOf({ module, script, exported, parts }) {
  const run = parts === undefined ? 'runScript' : 'runParts';
  return {
    name: script,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import' && resolve(resolveDir, path) === resolve(module)
          ? { path: script, namespace: script }
          : undefined,
      );
      onLoad({ filter: /.*/, namespace: script }, () => ({
        contents: `import { ${run} } from './scripts/build/cached-script.mjs';
import { fileURLToPath } from 'node:url';
export const { ${exported} } = ${run}(fileURLToPath(new URL('./${script}', import.meta.url))).exports;`,
        resolveDir: '.',
        loader: 'js',
      }));
    },
  };
}
