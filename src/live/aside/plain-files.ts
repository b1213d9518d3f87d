import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { type EnvoyResource, type Json, ResourceFile, separator } from '../../envoy/api/resource-file.ts';
import type { KnownFile, PlainFile, PlainFiles, PlainResource } from './messages.ts';

/** Puts files into a form that may be copied to another thread; of what the result before had too, only the versions. */
export class FileSender {
  #sent: ReadonlySet<string> = new Set();

  send({ clusters, listeners, routes, beside, ...rest }: ProxyFiles): PlainFiles {
    const before = this.#sent;
    this.#sent = new Set([clusters, listeners, ...routes.values()].map(({ version }) => version));
    const file = (sent: ResourceFile): PlainFile | KnownFile =>
      before.has(sent.version) ? { knownVersion: sent.version } : plain(sent);
    return {
      ...rest,
      clusters: file(clusters),
      listeners: file(listeners),
      routes: new Map([...routes].map(([name, sent]) => [name, file(sent)])),
      beside: [...beside.keys()],
    };
  }
}

function plain({ version, text, resources }: ResourceFile): PlainFile {
  let end = text.indexOf(resources[0]?.text ?? '') - separator.length;
  const parts = resources.map((resource) => {
    const start = end + separator.length;
    end = start + resource.text.length;
    return { name: resource.name, version: resource.version, start, end };
  });
  return { version, text, resources: parts };
}

/**
 * Makes files of what another thread has sent, in its order. The text of a resource is parsed when its message is needed.
 * A file or resource of a version that the previous files had is taken from them.
 */
export class FileReceiver {
  #files: ReadonlyMap<string, ResourceFile> = new Map();

  receive({ clusters, listeners, routes, ...rest }: PlainFiles, beside: ProxyFiles['beside']): ProxyFiles {
    const messages = this.#messages();
    const received = new Map<string, ResourceFile>();
    const file = (sent: PlainFile | KnownFile): ResourceFile => {
      const made = 'knownVersion' in sent ? this.#known(sent.knownVersion) : fileOf(sent, messages);
      received.set(made.version, made);
      return made;
    };
    const files = {
      ...{ ...rest, beside },
      clusters: file(clusters),
      listeners: file(listeners),
      routes: new Map([...routes].map(([name, sent]) => [name, file(sent)])),
    };
    this.#files = received;
    return files;
  }

  #known(version: string): ResourceFile {
    const file = this.#files.get(version);
    if (file === undefined) throw new Error(`a file of version ${version} is named as known, and was not sent before`);
    return file;
  }

  /** What somebody has asked for, by the version of its resource. */
  #messages(): ReadonlyMap<string, Json> {
    const messages = new Map<string, Json>();
    for (const { resources } of this.#files.values()) {
      for (const resource of resources) {
        if (resource instanceof ReceivedResource && resource.known) messages.set(resource.version, resource.known);
      }
    }
    return messages;
  }
}

function fileOf(sent: PlainFile, messages: ReadonlyMap<string, Json>): ResourceFile {
  const resources = sent.resources.map((part) => new ReceivedResource(part, sent.text, messages.get(part.version)));
  return new ResourceFile(resources, sent);
}

class ReceivedResource implements EnvoyResource {
  readonly name: string;
  readonly version: string;
  readonly #place: PlainResource;
  readonly #file: string;
  #json: Json | undefined;

  constructor(place: PlainResource, file: string, json: Json | undefined) {
    this.name = place.name;
    this.version = place.version;
    this.#place = place;
    this.#file = file;
    this.#json = json;
  }

  /** The message, where somebody has asked for it. */
  get known(): Json | undefined {
    return this.#json;
  }

  get text(): string {
    return this.#file.slice(this.#place.start, this.#place.end);
  }

  get json(): Json {
    this.#json ??= messageOf(this.text);
    return this.#json;
  }
}

function messageOf(text: string): Json {
  const { '@type': _type, ...message }: Json = JSON.parse(text);
  return message;
}
