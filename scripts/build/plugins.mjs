// esbuild plugins of the build.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

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
export const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    const filter = /^(node:)?(dgram|dns|dns\/promises|http2|https|tls|worker_threads|zlib)$/;
    onResolve({ filter }, ({ path, pluginData, namespace }) =>
      namespace === 'lazy-builtin' ? { path, external: true } : { path, namespace: 'lazy-builtin', pluginData },
    );
    onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      const getters = names.map((name) => `get ${name}() { return require('${path}').${name}; }`);
      return { contents: `module.exports = { ${getters.join(', ')} };`, loader: 'js' };
    });
  },
};

/** Parts of libraries that no program of ours uses, and that load much when they are loaded: left out. */
export const unusedParts = {
  name: 'unused-parts',
  setup({ onLoad }) {
    const filter = /\/(prom-client\/lib\/(cluster|defaultMetrics|pushgateway)|pino\/lib\/transport)\.js$/;
    onLoad({ filter }, () => ({ contents: 'module.exports = undefined;', loader: 'js' }));
  },
};

/** A module that the program imports when it needs it, as a script of its own beside the program (see `runScript`). */
export function scriptInPlaceOf({ module, script, exported }) {
  return {
    name: script,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import' && resolve(resolveDir, path) === resolve(module)
          ? { path: script, namespace: script }
          : undefined,
      );
      onLoad({ filter: /.*/, namespace: script }, () => ({
        contents: `import { runScript } from './scripts/build/cached-script.mjs';
import { fileURLToPath } from 'node:url';
export const { ${exported} } = runScript(fileURLToPath(new URL('./${script}', import.meta.url))).exports;`,
        resolveDir: '.',
        loader: 'js',
      }));
    },
  };
}
