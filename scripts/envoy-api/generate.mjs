// Writes src/envoy/api/schema.json from the descriptors of Envoy's API; `--check` compares instead. Needs Go, to download.
// To move to another Envoy: GOFLAGS=-mod=mod go get github.com/envoyproxy/go-control-plane/envoy@vX.Y.Z in this folder
// (it moves the other modules along), GOFLAGS=-mod=mod go mod download, this script, then the e2e tests of src/envoy.
import '../tools/own-node.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { envoyVersion, readFileDescriptors } from './descriptors.mjs';
import { buildSchema, formatSchema } from './schema.mjs';

const folder = import.meta.dirname;
const target = path.resolve(folder, '../../src/envoy/api/schema.json');

const names = readFileSync(path.join(folder, 'types.txt'), 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '' && !line.startsWith('#'));
const schema = buildSchema(readFileDescriptors(folder), names, envoyVersion(folder));
const text = `${formatSchema(schema)}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('src/envoy/api/schema.json differs from a fresh run: node scripts/envoy-api/generate.mjs');
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, text);
  console.log(`src/envoy/api/schema.json: Envoy ${schema.options.envoy_version}, ${text.length} bytes`);
}
