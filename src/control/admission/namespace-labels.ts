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

/** The labels of the namespaces of a cluster, as it tells of them. */
export class NamespaceLabels {
  readonly #labels = new Map<string, Labels>();
  readonly #reflector: Reflector;
  #told = new AbortController();

  constructor(api: KubernetesApi) {
    const set = ({ metadata }: ApiObject): void => {
      this.#labels.set(metadata.name, (metadata.labels ?? {}) as Labels);
      this.#tell();
    };
    this.#reflector = new Reflector({
      ...{ api, type: namespaceType, isMetadataOnly: true },
      sink: {
        set,
        delete: ({ metadata }) => void this.#labels.delete(metadata.name),
        replace: (objects) => {
          this.#labels.clear();
          for (const object of objects) set(object);
        },
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

  #tell(): void {
    this.#told.abort();
    this.#told = new AbortController();
  }
}
