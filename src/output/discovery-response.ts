import { createHash } from 'node:crypto';
import { messageTypes, type Resource } from '../compiler/render/resource.ts';
import { type EnvoyResource, type Json, ResourceFile } from '../envoy/api/resource-file.ts';

/** The file of these resources; each is put into its form once, however many files it is in. */
export function discoveryResponse(resources: readonly Resource[]): ResourceFile {
  return new ResourceFile(resources.map(elementOf));
}

/** What the text of a file says, as values. */
export function responseValue(resources: readonly Resource[]): Json {
  return { version_info: discoveryResponse(resources).version, resources: resources.map(typedMessage) };
}

/** The message as an element of a file's list: `resources` are Any messages, and each says its type first. */
export function typedMessage({ type, json }: Pick<Resource, 'type' | 'json'>): Json {
  return { '@type': typeUrl(type), ...json };
}

function typeUrl(type: Resource['type']): string {
  return `type.googleapis.com/${messageTypes[type]}`;
}

const elements = new WeakMap<Resource, EnvoyResource>();

function elementOf(resource: Resource): EnvoyResource {
  let element = elements.get(resource);
  if (element === undefined) {
    const text = typedText(resource);
    const version = createHash('sha256').update(text).digest('hex');
    // Replacing gives a rope of slices: four times the text, for as long as it is kept.
    const indented = `    ${text.split('\n').join('\n    ')}`;
    element = { name: resource.name, version, json: resource.json, text: indented };
    elements.set(resource, element);
  }
  return element;
}

/** The text of `typedMessage`. */
function typedText({ type, text }: Resource): string {
  const typeLine = `{\n  "@type": "${typeUrl(type)}"`;
  return text === '{}' ? `${typeLine}\n}` : `${typeLine},${text.slice(1)}`;
}
