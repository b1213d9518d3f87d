// Writes V8's compiled form of a bundled script beside it: `compile-ahead.mjs SCRIPT WARM-UP [FORM]`, by the Node that is to use it.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFile, runScript } from './cached-script.mjs';

const [, , name, warmUpName, form] = process.argv;
const file = resolve(name);
const { warmUp } = await import(pathToFileURL(resolve(warmUpName)).href);
const { exports, script } = runScript(file, form);
await warmUp(exports);
// After the run: V8 keeps what was called, and that is what a small run needs.
writeFileSync(compiledFile(file, form), script.createCachedData());
process.exit();
