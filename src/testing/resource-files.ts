import { type Json, ResourceFile } from '../envoy/api/resource-file.ts';
import { contentVersion } from '../xds/resource.ts';

/** The file of these messages, which may have an `@type`. */
export function fileOf(...messages: readonly Json[]): ResourceFile {
  return new ResourceFile(
    messages.map((message) => {
      const text = JSON.stringify(message, null, 2);
      const { '@type': _type, ...json } = message;
      return { name: String(message.name), version: contentVersion(text), json, text };
    }),
  );
}

/** The file that a DiscoveryResponse is the text of; its own version is made anew. */
export function fileOfText(text: string): ResourceFile {
  const { resources }: { readonly resources: readonly Json[] } = JSON.parse(text);
  return fileOf(...resources);
}
