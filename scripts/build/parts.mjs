// A program as a few scripts in CommonJS's form, its parts. Each module is in one of them, and a part is read when a module of
// it is first asked for (see `runParts`). One script would be read whole before its first line runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { wrapped } from './cached-script.mjs';
import { joinMaps } from './join-maps.mjs';

/**
 * Bundles `entry` into the parts in `outdir`: pairs of a script and the modules that bring what they import into it, but what
 * an earlier part has. The entry is in the first part, and what no part has goes into the last. `options` are esbuild's.
 */
export async function buildParts(entry, parts, { outdir, ...options }) {
  const { outputFiles, metafile } = await build({
    ...options,
    ...{ entryPoints: [entry], outdir, format: 'esm', splitting: true, write: false, metafile: true },
    ...{ entryNames: '[name]', chunkNames: 'chunk-[hash]', sourcemap: 'external' },
  });
  const placed = placeChunks(metafile.outputs, [[parts[0][0], [entry, ...parts[0][1]]], ...parts.slice(1)]);
  const nameOf = (path) => `./${relative(outdir, path)}`;
  const files = new Map(outputFiles.map(({ path, text }) => [resolve(path), text]));
  const scripts = parts.map(() => new PartText());
  for (const [chunk, part] of placed) {
    const map = files.get(resolve(`${chunk}.map`));
    scripts[part].add(nameOf(chunk), await asCommonJs(files.get(resolve(chunk)), map, options));
  }
  const [first] = [...placed].find(([chunk]) => metafile.outputs[chunk].entryPoint === entry);
  const directory = {
    ...{ entry: nameOf(first), parts: parts.map(([script]) => script) },
    partOf: Object.fromEntries([...placed].flatMap(([chunk, part]) => (part === 0 ? [] : [[nameOf(chunk), part]]))),
  };
  mkdirSync(outdir, { recursive: true });
  for (const [i, [script]] of parts.entries()) {
    const { text, map } = scripts[i].finish(i === 0 ? directory : {}, script);
    writeFileSync(join(outdir, script), text);
    writeFileSync(join(outdir, `${script}.map`), map);
  }
}

/** The number of the part of each chunk. */
function placeChunks(outputs, parts) {
  const chunks = Object.keys(outputs).filter((path) => path.endsWith('.js'));
  const placed = new Map();
  for (const [part, [script, modules]] of parts.entries()) {
    const met = new Set(modules.map((module) => chunkOf(chunks, outputs, module, script)));
    for (const chunk of met) {
      for (const { path, kind, external } of outputs[chunk].imports) {
        if (kind === 'import-statement' && !external) met.add(path);
      }
    }
    for (const chunk of met) if (!placed.has(chunk)) placed.set(chunk, part);
  }
  for (const chunk of chunks) if (!placed.has(chunk)) placed.set(chunk, parts.length - 1);
  return placed;
}

function chunkOf(chunks, outputs, module, script) {
  const chunk = chunks.find((path) => outputs[path].entryPoint === module);
  if (chunk === undefined)
    throw new Error(`${script}: nothing imports "${module}" when it needs it; correct the parts in scripts/build.mjs`);
  return chunk;
}

/** A chunk as the body of a function of `exports`, `require` and `module`; its map leads to the sources. */
async function asCommonJs(text, map, { target, minifyWhitespace, minifySyntax }) {
  const inline = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  // `lazyPackages` marks what is to be there at once and not as a promise.
  const atOnce = text.replace(/lazyPart\(\(\)\s*=>\s*import\(("[^"]+")\)\)/g, 'require($1)');
  const { code, map: whole } = await transform(`${atOnce}\n${inline}`, {
    ...{ format: 'cjs', platform: 'node', target, minifyWhitespace, minifySyntax, legalComments: 'none' },
    // Those that are left are of other chunks.
    ...{ supported: { 'dynamic-import': false }, sourcemap: 'external', sourcesContent: false, sourcefile: 'chunk.js' },
  });
  return { code, map: JSON.parse(whole) };
}

/** The text of one part, a function a chunk, each on lines of its own; and its map. */
class PartText {
  #lines = ['exports.modules={'];
  #sections = [];

  add(name, { code, map }) {
    this.#lines.push(`${JSON.stringify(name)}(exports,require,module){`);
    this.#sections.push({ line: this.#lines.length, map });
    this.#lines.push(...code.trimEnd().split('\n'), '},');
  }

  finish(directory, script) {
    const named = Object.entries(directory).map(([name, value]) => `exports.${name}=${JSON.stringify(value)};`);
    const text = [...this.#lines, '};', ...named, `//# sourceMappingURL=${script}.map`].join('\n');
    return { text: wrapped(text), map: JSON.stringify(joinMaps(this.#sections)) };
  }
}
