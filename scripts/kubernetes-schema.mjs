// Writes e2e/containers/kubernetes-schema.json: what Kubernetes publishes of the kinds in deploy/ (its OpenAPI document,
// api/openapi-spec/v3), closed, so that an unknown field is an error as with strict field validation. Needs Go, to download.
import './tools/own-node.mjs';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const version = 'v1.36.3';
const kinds = ['ConfigMap', 'Namespace', 'Pod', 'Service', 'ServiceAccount'];
const target = path.resolve(import.meta.dirname, '../e2e/containers/kubernetes-schema.json');

const download = execFileSync('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], { encoding: 'utf8' });
const document = path.join(JSON.parse(download).Dir, 'api/openapi-spec/v3/api__v1_openapi.json');
const { schemas } = JSON.parse(readFileSync(document, 'utf8')).components;
const kept = {};

/** A schema without words, defaults and extensions, and closed; what it refers to is kept too. */
function close(schema) {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') return { $ref: `#/$defs/${keep(schema.$ref.split('/').at(-1))}` };
  const closed = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'description' || name === 'default' || name === 'format' || name.startsWith('x-')) continue;
    closed[name] =
      name === 'properties'
        ? Object.fromEntries(Object.entries(value).map(([field, type]) => [field, close(type)]))
        : close(value);
  }
  if (closed.properties !== undefined && closed.additionalProperties === undefined) closed.additionalProperties = false;
  return closed;
}

function keep(name) {
  const short = name.split('.').at(-1);
  if (!(short in kept)) {
    kept[short] = {};
    kept[short] = close(schemas[name]);
  }
  return short;
}

const byKind = kinds.map((kind) => ({
  if: { properties: { kind: { const: kind } } },
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
  then: { $ref: `#/$defs/${keep(`io.k8s.api.core.v1.${kind}`)}` },
}));
const $defs = Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
const schema = {
  $comment: `Kubernetes ${version}, Apache-2.0; written by scripts/kubernetes-schema.mjs`,
  required: ['apiVersion', 'kind', 'metadata'],
  properties: { apiVersion: { const: 'v1' }, kind: { enum: kinds } },
  allOf: byKind,
  $defs,
};
writeFileSync(target, `${JSON.stringify(schema)}\n`);
