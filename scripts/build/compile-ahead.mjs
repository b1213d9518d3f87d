// Writes V8's compiled form of a bundled script, or of each part of a program in parts, beside it:
// `compile-ahead.mjs SCRIPT script|first-part|later-parts WARM-UP…`, by the Node that is to use it. The form of the first part has
// what runs until a program is started (but for `--version`), so that no start waits for more; those of the later parts have all.
import { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFile, runParts, runScript } from './cached-script.mjs';

const [, , name, form, ...warmUps] = process.argv;
const file = resolve(name);
const { exports, scripts } = form === 'script' ? runAlone() : runParts(file);
if (form === 'first-part') startNoProgram();
for (const path of warmUps) {
  const { warmUp } = await import(pathToFileURL(resolve(path)).href);
  await warmUp(exports);
}
// After the runs: V8 keeps what was called, and that is what a small run needs.
for (const [path, script] of scripts) {
  if (form === 'script' || (path === file) === (form === 'first-part'))
    writeFileSync(compiledFile(path), script.createCachedData());
}
process.exit();

function runAlone() {
  const { exports, script } = runScript(file);
  return { exports, scripts: [[file, script]] };
}

function startNoProgram() {
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    if (options.args.includes('--version')) return spawn.call(this, options);
    throw new Error('the start ends here');
  };
}
