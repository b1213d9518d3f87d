import { createHash } from 'node:crypto';
import { messageTypes, type Resource } from '../compiler/render/resource.ts';
import { type EnvoyResource, ResourceFile } from '../envoy/api/resource-file.ts';

/** The file of these resources; each is put into its form once, however many files it is in. */
export function discoveryResponse(resources: readonly Resource[]): ResourceFile {
  return new ResourceFile(resources.map(elementOf));
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

/** `resources` are Any messages: each says its type, in its first line. */
function typedText({ type, text }: Resource): string {
  const typeLine = `{\n  "@type": "type.googleapis.com/${messageTypes[type]}"`;
  return text === '{}' ? `${typeLine}\n}` : `${typeLine},${text.slice(1)}`;
}
