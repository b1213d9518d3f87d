import { createHash } from 'node:crypto';
import { messageTypes, type Resource } from '../compiler/render/resource.ts';

const separator = ',\n';

/** Text of a resource as an element of a `resources` list. */
interface Element {
  readonly text: string;
  readonly digest: string;
}

/** Resources are shared by many proxies: made once each. */
const elements = new WeakMap<Resource, Element>();

/**
 * A file that Envoy reads over `path_config_source` (envoy.service.discovery.v3.DiscoveryResponse). `version_info` is a
 * hash of the content, so that equal content has an equal version on every machine.
 */
export function discoveryResponse(resources: readonly Resource[]): string {
  if (resources.length === 0) return `{\n  "version_info": "${versionOf([])}",\n  "resources": []\n}\n`;
  const parts = resources.map(elementOf);
  const list = parts.map(({ text }) => text).join(separator);
  return `{\n  "version_info": "${versionOf(parts)}",\n  "resources": [\n${list}\n  ]\n}\n`;
}

/**
 * Has what is kept of these resources lie within the text that was made of them, which somebody keeps anyway: V8 keeps a
 * part of a string as a reference to the whole.
 */
export function keepWithin(response: string, resources: readonly Resource[]): void {
  const parts = resources.map((resource) => ({ resource, ...elementOf(resource) }));
  let at = response.indexOf(parts[0]?.text ?? '');
  for (const { resource, text, digest } of parts) {
    elements.set(resource, { text: response.slice(at, at + text.length), digest });
    at += text.length + separator.length;
  }
}

function elementOf(resource: Resource): Element {
  let element = elements.get(resource);
  if (element === undefined) {
    const text = typedText(resource);
    const digest = createHash('sha256').update(text).digest('hex');
    // Replacing gives a rope of slices: four times the text, for as long as it is kept.
    element = { text: `    ${text.split('\n').join('\n    ')}`, digest };
    elements.set(resource, element);
  }
  return element;
}

/** `resources` are Any messages: each says its type, in its first line. */
function typedText({ type, text }: Resource): string {
  const typeLine = `{\n  "@type": "type.googleapis.com/${messageTypes[type]}"`;
  return text === '{}' ? `${typeLine}\n}` : `${typeLine},${text.slice(1)}`;
}

function versionOf(parts: readonly { readonly digest: string }[]): string {
  const hash = createHash('sha256');
  for (const { digest } of parts) hash.update(digest);
  return hash.digest('hex').slice(0, 16);
}
