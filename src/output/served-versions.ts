import { createHash } from 'node:crypto';
import { type EnvoyConfig, messageTypes, type Resource } from '../compiler/render/resource.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import { type OutputFormat, textOf } from './format.ts';

/** What a control plane serves to one proxy: by type the names of the resources, each with its version. */
type ServedVersions = Readonly<Record<(typeof lists)[number], Readonly<Record<string, string>>>>;

const lists = ['listeners', 'clusters', 'routes', 'endpoints'] as const;

/** One document, by namespace and name of the proxies, in pieces: that of a fleet is longer than a text may be. */
export function* servedVersions(configs: readonly EnvoyConfig[], format: OutputFormat): Generator<string> {
  if (format === 'yaml') {
    for (const config of configs) yield textOf(entryOf(config), format);
    return;
  }
  yield '{\n';
  for (const [i, config] of configs.entries()) {
    const text = JSON.stringify(entryOf(config), null, 2);
    yield `${text.slice('{\n'.length, -'\n}'.length)}${i === configs.length - 1 ? '' : ','}\n`;
  }
  yield '}\n';
}

function entryOf(config: EnvoyConfig): Readonly<Record<string, ServedVersions>> {
  const versions = Object.fromEntries(lists.map((list) => [list, versionsOf(config[list])])) as ServedVersions;
  return { [`${config.namespace}/${config.workload}`]: versions };
}

function versionsOf(resources: readonly Resource[]): Readonly<Record<string, string>> {
  return Object.fromEntries(resources.map((resource) => [resource.name, versionOf(resource)]));
}

const versions = new WeakMap<Resource, string>();

/** The first 64 bits of SHA-256 of the message as it is sent: equal content has an equal version, wherever it is made. */
export function versionOf(resource: Resource): string {
  let version = versions.get(resource);
  if (version === undefined) {
    const body = encodeMessage(messageTypes[resource.type], resource.json);
    version = createHash('sha256').update(body).digest('hex').slice(0, 16);
    versions.set(resource, version);
  }
  return version;
}
