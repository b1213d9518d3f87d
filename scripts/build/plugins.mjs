// esbuild plugins of the build.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A schema of Envoy's API as texts, one a package, each parsed when it is first asked for. */
export const lazySchema = {
  name: 'lazy-schema',
  setup({ onLoad }) {
    onLoad({ filter: /api\/schema\.json$/ }, ({ path }) => ({
      contents: `${lazily}\nexport default ${lazyNode(JSON.parse(readFileSync(path, 'utf8')))};`,
      loader: 'js',
    }));
  },
};

const lazily = `function lazily(text, rest) {
  let nested;
  return Object.defineProperty(rest, 'nested', { enumerable: true, get: () => (nested ??= JSON.parse(text)) });
}`;

function lazyNode({ nested, ...rest }) {
  const children = Object.entries(nested);
  const isPackage = ([, child]) => child.fields === undefined && child.values === undefined;
  if (!children.every(isPackage)) return `lazily(${JSON.stringify(JSON.stringify(nested))}, ${JSON.stringify(rest)})`;
  const packages = children.map(([name, child]) => `${JSON.stringify(name)}: ${lazyNode(child)}`);
  return `{ ...${JSON.stringify(rest)}, nested: { ${packages.join(', ')} } }`;
}

/** Parts of prom-client that no program of ours uses, and that load much of Node when they are loaded: left out. */
export const unusedParts = {
  name: 'unused-parts',
  setup({ onLoad }) {
    const filter = /\/prom-client\/lib\/(cluster|defaultMetrics|pushgateway)\.js$/;
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
