import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { type EnvoyResource, type Json, ResourceFile, separator } from '../../envoy/api/resource-file.ts';
import type { PlainFile, PlainFiles, PlainResource } from './messages.ts';

/** The files in a form that may be copied to another thread. */
export function plainFiles({ clusters, listeners, routes, beside, ...rest }: ProxyFiles): PlainFiles {
  return {
    ...rest,
    clusters: plain(clusters),
    listeners: plain(listeners),
    routes: new Map([...routes].map(([name, file]) => [name, plain(file)])),
    beside: [...beside.keys()],
  };
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
 * Makes files of what another thread has sent. A message is read from its text when it is asked for; one that the files
 * before had in the same version is theirs.
 */
export class FileReceiver {
  #known: ReadonlyMap<string, ReceivedResource> = new Map();

  receive({ clusters, listeners, routes, ...rest }: PlainFiles, beside: ProxyFiles['beside']): ProxyFiles {
    const received = new Map<string, ReceivedResource>();
    const file = (sent: PlainFile): ResourceFile => {
      const resources = sent.resources.map(
        (part) => new ReceivedResource(part, sent.text, this.#known.get(part.version)?.known),
      );
      for (const resource of resources) received.set(resource.version, resource);
      return new ResourceFile(resources, sent);
    };
    const files = {
      ...{ ...rest, beside },
      clusters: file(clusters),
      listeners: file(listeners),
      routes: new Map([...routes].map(([name, sent]) => [name, file(sent)])),
    };
    this.#known = received;
    return files;
  }
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
