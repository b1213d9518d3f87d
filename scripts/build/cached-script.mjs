// A bundled script in CommonJS's form that starts from V8's compiled form of it. Part of the programs, and of what makes the form.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';
import { endWithout } from './missing-file.mjs';

/**
 * Runs the script and gives what it exports. Where the compiled form is missing, or another Node made it, V8 compiles
 * the text as always: the outcome is the same, 60 ms later. A program that was copied without its script ends with 3.
 * `form` names one of several compiled forms, each with the functions that one way of using the script calls.
 */
export function runScript(file, form = '') {
  if (!existsSync(file)) endWithout(file);
  // Node reads the maps only of what it loads itself.
  if (process.sourceMapsEnabled) return { exports: createRequire(file)(file) };
  // The bundler writes ASCII, whose strings V8 keeps as they are. Around it is what Node puts around a module.
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(text, {
    filename: file,
    cachedData: readIfThere(compiledFile(file, form)),
    importModuleDynamically: constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return { exports: module.exports, script };
}

/** One for each version of Node: V8 takes only what the same V8 wrote. */
export function compiledFile(file, form = '') {
  return `${file}${form && `.${form}`}.${process.version}-${process.arch}.cache`;
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
