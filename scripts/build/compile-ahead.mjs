// Writes V8's compiled form of a bundled script beside it: `compile-ahead.mjs SCRIPT WARM-UP`, by the Node that is to use it.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFile, runScript } from './cached-script.mjs';

const file = resolve(process.argv[2]);
const { warmUp } = await import(pathToFileURL(resolve(process.argv[3])).href);
const { exports, script } = runScript(file);
await warmUp(exports);
// After the run: V8 keeps what was called, and that is what a small run needs.
writeFileSync(compiledFile(file), script.createCachedData());
process.exit();
