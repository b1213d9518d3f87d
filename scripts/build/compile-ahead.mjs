// Writes V8's compiled form of a bundled script, or of each part of a program in parts, beside it:
// `compile-ahead.mjs SCRIPT script|parts WARM-UP…`, by the Node that is to use it.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFile, runParts, runScript } from './cached-script.mjs';

const [, , name, form, ...warmUps] = process.argv;
const file = resolve(name);
const { exports, scripts } = form === 'parts' ? runParts(file) : runAlone();
for (const path of warmUps) {
  const { warmUp } = await import(pathToFileURL(resolve(path)).href);
  await warmUp(exports);
}
// After the runs: V8 keeps what was called, and that is what a small run needs.
for (const [path, script] of scripts) writeFileSync(compiledFile(path), script.createCachedData());
process.exit();

function runAlone() {
  const { exports, script } = runScript(file);
  return { exports, scripts: [[file, script]] };
}
