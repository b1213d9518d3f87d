import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { createCompiler } from '../src/compiler/compile.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import { checkMessage } from '../src/envoy/api/check.ts';
import { readObjects } from './compiling-one.ts';
import { line, medianMs, ratio } from './measure.ts';
import { generateMesh } from './mesh.ts';

/** The checker of Envoy's API in MB/s, beside JSON.parse and protobufjs on the same text. */
export function checking(): void {
  const objects = readObjects(generateMesh({ services: 1000, workloads: 1000, namespaces: 10 }));
  const compilation = createCompiler({ settings: defaultSettings }).compileObjects(
    objects,
    [{ namespace: 'ns-0', name: 'p-0' }],
    new DiagnosticBag(),
  );
  const [config] = compilation?.configs ?? [];
  if (config === undefined) throw new Error('nothing was compiled');
  const texts = config.clusters.map(({ text }) => text);
  const values = config.clusters.map(({ json }) => json);
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  const speed = (time: number): string => `${((megabytes / time) * 1000).toFixed(0)} MB/s`;

  const check = medianMs(9, () => {
    for (const value of values)
      if (checkMessage('envoy.config.cluster.v3.Cluster', value).length > 0) throw new Error('refused');
  });
  const parse = medianMs(9, () => {
    for (const text of texts) JSON.parse(text);
  });
  const root = protobuf.Root.fromJSON(JSON.parse(readFileSync('src/envoy/api/schema.json', 'utf8')));
  root.resolveAll();
  const type = root.lookupType('envoy.config.cluster.v3.Cluster');
  const reference = medianMs(3, () => {
    for (const value of values) protojson.fromJson(type, stripType(value));
  });
  line(
    `check clusters (${megabytes.toFixed(1)} MB of text)`,
    speed(check),
    `JSON.parse ${speed(parse)}`,
    `protobufjs ${speed(reference)}`,
    `${ratio(reference / check)} faster`,
  );
}

function stripType({ '@type': _type, ...rest }: Readonly<Record<string, unknown>>): object {
  return rest;
}
