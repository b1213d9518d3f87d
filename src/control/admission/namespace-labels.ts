import type { KubernetesApi } from '../../kubernetes/api.ts';
import { Reflector } from '../../kubernetes/reflector.ts';
import type { ApiObject, ResourceType } from '../../kubernetes/resource-type.ts';
import { delay } from '../../lib/abort.ts';

const namespaceType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', isNamespaced: false },
};

/** A namespace that was just made is heard of within moments. */
const longestWaitMs = 2_000;

type Labels = Readonly<Record<string, string>>;

/** Is told of all namespaces at once, or of one that has changed; undefined: it is gone. */
export interface NamespaceFollower {
  knowNamespaces(all: ReadonlyMap<string, Labels>): void;
  knowNamespace(name: string, labels: Labels | undefined): void;
}

/** The labels of the namespaces of a cluster, as it tells of them. */
export class NamespaceLabels {
  readonly #labels = new Map<string, Labels>();
  readonly #reflector: Reflector;
  readonly #follower: NamespaceFollower | undefined;
  #told = new AbortController();

  constructor(api: KubernetesApi, follower?: NamespaceFollower) {
    this.#follower = follower;
    this.#reflector = new Reflector({
      ...{ api, type: namespaceType, isMetadataOnly: true },
      sink: {
        set: (object) => this.#set(object),
        delete: ({ metadata }) => this.#delete(metadata.name),
        replace: (objects) => this.#replace(objects),
        unserved: () => undefined,
      },
    });
    this.#reflector.start();
  }

  /** Waits a moment for one that is not known yet; undefined where it stays unknown. */
  async of(namespace: string): Promise<Labels | undefined> {
    const endMs = performance.now() + longestWaitMs;
    for (;;) {
      const labels = this.#labels.get(namespace);
      const leftMs = endMs - performance.now();
      if (labels !== undefined || leftMs <= 0) return labels;
      await delay(leftMs, this.#told.signal);
    }
  }

  close(): void {
    this.#reflector.close();
  }

  #set({ metadata: { name, labels } }: ApiObject): void {
    const known = (labels ?? {}) as Labels;
    this.#labels.set(name, known);
    this.#follower?.knowNamespace(name, known);
    this.#tell();
  }

  #delete(name: string): void {
    this.#labels.delete(name);
    this.#follower?.knowNamespace(name, undefined);
  }

  #replace(objects: readonly ApiObject[]): void {
    this.#labels.clear();
    for (const { metadata } of objects) this.#labels.set(metadata.name, (metadata.labels ?? {}) as Labels);
    this.#follower?.knowNamespaces(this.#labels);
    this.#tell();
  }

  #tell(): void {
    this.#told.abort();
    this.#told = new AbortController();
  }
}
