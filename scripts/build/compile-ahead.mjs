// Writes V8's compiled form of a bundled script beside it: `compile-ahead.mjs SCRIPT`, by the Node that is to use it.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compiledFile, runScript } from './cached-script.mjs';

const file = resolve(process.argv[2]);
const { exports, script } = runScript(file);
const io = { stdin: [], environment: {}, writeOut: async () => {}, writeError: async () => {} };
const inputs = ['examples/first-mesh/topology.yaml', 'examples/first-mesh/policies/namespace-strict.yaml'];
await exports.runCompile(
  inputs,
  { workload: [{ namespace: 'foo', name: 'httpbin' }], format: 'json', maxDiagnostics: 50, diagnostics: 'text' },
  io,
);
// After the run: V8 keeps what was called, and that is what a small compile needs.
writeFileSync(compiledFile(file), script.createCachedData());
