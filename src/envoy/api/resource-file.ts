import { createHash } from 'node:crypto';

/** A message of Envoy's in canonical form. */
export type Json = Readonly<Record<string, unknown>>;

/** One resource as Envoy reads it from a file. */
export interface EnvoyResource {
  readonly name: string;
  /** Digest of the text: resources of equal versions are equal. */
  readonly version: string;
  /** The message, without `@type`. */
  readonly json: Json;
  /** The message with its `@type`, as an element of a file's list. */
  readonly text: string;
}

/** What stands between two resources of a file. */
export const separator = ',\n';

/**
 * A file that Envoy reads over `path_config_source` (envoy.service.discovery.v3.DiscoveryResponse). Its text is joined from
 * those of its resources at each request, so that it is not kept in memory, unless another thread has sent the whole text.
 */
export class ResourceFile {
  readonly resources: readonly EnvoyResource[];
  readonly #sent: string | undefined;
  #version: string | undefined;

  constructor(resources: readonly EnvoyResource[] = [], sent?: { readonly version: string; readonly text: string }) {
    this.resources = resources;
    this.#version = sent?.version;
    this.#sent = sent?.text;
  }

  /** `version_info`: a hash of the content, so that equal content has an equal version on every machine. */
  get version(): string {
    this.#version ??= versionOf(this.resources);
    return this.#version;
  }

  get text(): string {
    if (this.#sent !== undefined) return this.#sent;
    const head = `{\n  "version_info": "${this.version}",\n  "resources": [`;
    if (this.resources.length === 0) return `${head}]\n}\n`;
    return `${head}\n${this.resources.map(({ text }) => text).join(separator)}\n  ]\n}\n`;
  }
}

/** What the hash is without any resource: Node takes a while to load what makes hashes. */
const emptyVersion = 'e3b0c44298fc1c14';

function versionOf(resources: readonly EnvoyResource[]): string {
  if (resources.length === 0) return emptyVersion;
  const hash = createHash('sha256');
  for (const { version } of resources) hash.update(version);
  return hash.digest('hex').slice(0, 16);
}
