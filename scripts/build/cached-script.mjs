// A bundled script in CommonJS's form that starts from V8's compiled form of it. Part of the programs, and of what makes the form.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { endWithout } from './missing-file.mjs';

/**
 * Runs the script and gives what it exports. Where the compiled form is missing, or another Node made it, V8 compiles
 * the text as always: the outcome is the same, 60 ms later. A program that was copied without its script ends with 3.
 */
export function runScript(file) {
  if (!existsSync(file)) endWithout(file);
  // The bundler writes ASCII, whose strings V8 keeps as they are.
  const text = readFileSync(file, 'latin1');
  // Node reads the maps only of what it compiles itself.
  if (process.sourceMapsEnabled) return { exports: compiledByNode(file, text.slice(head.length, -foot.length)) };
  const script = new Script(text, {
    filename: file,
    cachedData: readIfThere(compiledFile(file)),
    importModuleDynamically: constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return { exports: module.exports, script };
}

/**
 * Runs a program in parts (see `buildParts`), and gives what its entry exports. A part is read when a module of it is first
 * asked for. All of them must be there, or the program ends with 3 at once. `scripts` has those that were read, by file.
 */
export function runParts(file) {
  const scripts = new Map();
  const read = (path) => {
    const { exports, script } = runScript(path);
    scripts.set(path, script);
    return exports;
  };
  const { entry, parts, partOf, modules } = read(file);
  const files = parts.map((part) => join(dirname(file), part));
  const missing = files.find((path) => !existsSync(path));
  if (missing !== undefined) endWithout(missing);
  const require = createRequire(file);
  const loaded = new Map();
  const load = (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    if (name in partOf && !(name in modules)) Object.assign(modules, read(files[partOf[name]]).modules);
    if (!(name in modules)) return require(name);
    const module = { exports: {} };
    // Known before it runs: modules may ask for each other.
    loaded.set(name, module);
    modules[name](module.exports, load, module);
    return module.exports;
  };
  return { exports: load(entry), scripts };
}

const head = '(function (exports, require, module, __filename, __dirname) {';
const foot = '\n})';

/** The text of a module with what Node puts around it: in the file, so that V8 need not put it together at each start. */
export function wrapped(text) {
  return `${head}${text}${foot}`;
}

function compiledByNode(file, text) {
  const module = new Module(file);
  module.filename = file;
  // Node has the map as long as it has the module.
  createRequire(file).cache[file] = module;
  module._compile(text, file);
  return module.exports;
}

/** One for each version of Node: V8 takes only what the same V8 wrote. */
export function compiledFile(file) {
  return `${file}.${process.version}-${process.arch}.cache`;
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
