import type { KubernetesApi } from '../../kubernetes/api.ts';
import type { Term } from '../../kubernetes/election.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { Reflector, type ReflectorSink } from '../../kubernetes/reflector.ts';
import { type ApiObject, pathOf, type ResourceType } from '../../kubernetes/resource-type.ts';
import { aborted, delay } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { configMaps, rootConfigMap, rootConfigMapOf, rootsOf } from './root-config-map.ts';

export interface RootPublisherOptions {
  readonly api: KubernetesApi;
  /** Empty: all of the cluster. */
  readonly namespaces: readonly string[];
  /** PEM, of the moment. */
  readonly roots: () => string;
  readonly log: PlainLog;
}

const namespaceType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', isNamespaced: false },
};

const mostAtOnce = 8;
const deadlineMs = 10_000;
const firstPauseMs = 500;
const longestPauseMs = 60_000;

/**
 * Keeps the roots of the mesh in a ConfigMap of each namespace, as long as a term lasts: in new namespaces, after somebody has
 * changed or deleted one, and when the roots become others. Namespaces that are being deleted are left alone. What fails is
 * tried again after a pause that grows, for that namespace alone.
 */
export class RootPublisher {
  readonly #options: RootPublisherOptions;
  readonly #namespaces = new Set<string>();
  /** What the ConfigMaps say; undefined: something else than roots with our label. */
  readonly #published = new Map<string, string | undefined>();
  /** Whose ConfigMaps are known: of a namespace, or with undefined of all. */
  readonly #known = new Set<string | undefined>();
  readonly #waiting = new Set<string>();
  readonly #failures = new Map<string, number>();
  #running = 0;
  #term: Term | undefined;

  constructor(options: RootPublisherOptions) {
    this.#options = options;
  }

  /** Namespaces whose ConfigMap is not as it must be; 0 in a replica that does not lead. */
  get pending(): number {
    return this.#term === undefined ? 0 : [...this.#namespaces].filter((namespace) => !this.#isRight(namespace)).length;
  }

  /** The roots are others. */
  changed(): void {
    for (const namespace of this.#namespaces) this.#look(namespace);
  }

  /** Resolves when the term has ended. */
  async run(term: Term): Promise<void> {
    const { api, namespaces, log } = this.#options;
    this.#term = term;
    const reflectors = (namespaces.length === 0 ? [undefined] : namespaces).flatMap((namespace) => [
      this.#follow({ type: namespaceType, name: namespace, isMetadataOnly: true }, this.#ofNamespaces(namespace)),
      this.#follow({ type: configMaps, namespace, name: rootConfigMap }, this.#ofConfigMaps(namespace)),
    ]);
    for (const reflector of reflectors) reflector.start();
    log.debug('the roots of the mesh are published', { cluster: api.name });
    await aborted(term.signal);
    for (const reflector of reflectors) reflector.close();
    this.#term = undefined;
    for (const each of [this.#namespaces, this.#published, this.#known, this.#waiting, this.#failures]) each.clear();
  }

  #follow(
    what: { readonly type: ResourceType; readonly namespace?: string | undefined } & {
      readonly name: string | undefined;
      readonly isMetadataOnly?: boolean;
    },
    sink: ReflectorSink,
  ): Reflector {
    const { api, log } = this.#options;
    return new Reflector({
      ...{ api, sink, ...what },
      onState: ({ problem }) => {
        if (problem !== undefined)
          log.warn(`${what.type.kind}s are not followed now, which get the roots of the mesh`, { reason: problem });
      },
    });
  }

  #ofNamespaces(only: string | undefined): ReflectorSink {
    const set = ({ metadata: { name, deletionTimestamp } }: ApiObject): void => {
      if (deletionTimestamp === undefined) this.#namespaces.add(name);
      else this.#namespaces.delete(name);
      this.#look(name);
    };
    const remove = (name: string): void => {
      this.#namespaces.delete(name);
      this.#failures.delete(name);
    };
    return {
      set,
      delete: ({ metadata }) => remove(metadata.name),
      replace: (objects) => {
        const now = new Set(objects.map(({ metadata }) => metadata.name));
        for (const name of this.#namespaces) if (!now.has(name) && (only ?? name) === name) remove(name);
        for (const object of objects) set(object);
      },
      unserved: () => undefined,
    };
  }

  #ofConfigMaps(only: string | undefined): ReflectorSink {
    const set = (object: ApiObject): void => {
      const { namespace = '' } = object.metadata;
      this.#published.set(namespace, rootsOf(object));
      this.#look(namespace);
    };
    const remove = (namespace: string): void => {
      this.#published.delete(namespace);
      this.#look(namespace);
    };
    return {
      set,
      delete: ({ metadata }) => remove(metadata.namespace ?? ''),
      replace: (objects) => {
        const now = new Set(objects.map(({ metadata }) => metadata.namespace));
        for (const name of this.#published.keys()) if (!now.has(name) && (only ?? name) === name) remove(name);
        for (const object of objects) set(object);
        this.#known.add(only);
        this.changed();
      },
      unserved: () => undefined,
    };
  }

  #isRight(namespace: string): boolean {
    return this.#published.get(namespace) === this.#options.roots();
  }

  #look(namespace: string): void {
    const isKnown = this.#known.has(undefined) || this.#known.has(namespace);
    if (!isKnown || !this.#namespaces.has(namespace) || this.#isRight(namespace)) return;
    this.#waiting.add(namespace);
    while (this.#running < mostAtOnce && this.#waiting.size > 0) void this.#writeNext();
  }

  async #writeNext(): Promise<void> {
    const [namespace = ''] = this.#waiting;
    this.#waiting.delete(namespace);
    this.#running++;
    const isDone = await this.#write(namespace);
    this.#running--;
    if (!isDone) void this.#again(namespace);
    const [next] = this.#waiting;
    if (next !== undefined) this.#look(next);
  }

  async #again(namespace: string): Promise<void> {
    const failures = (this.#failures.get(namespace) ?? 0) + 1;
    this.#failures.set(namespace, failures);
    const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    await delay(pauseMs * (0.5 + Math.random() / 2), this.#term?.signal);
    this.#look(namespace);
  }

  /** Whether nothing is left to do for the namespace now. */
  async #write(namespace: string): Promise<boolean> {
    const term = this.#term;
    // What waited may be right, or gone, by now.
    if (!term?.holds || !this.#namespaces.has(namespace) || this.#isRight(namespace)) return true;
    const { api, roots, log } = this.#options;
    const body = rootConfigMapOf(namespace, roots());
    const path = `${pathOf(configMaps, namespace, rootConfigMap)}?fieldManager=meshd&force=true`;
    const contentType = 'application/apply-patch+yaml';
    try {
      const written = await api.ask<ApiObject>({
        method: 'PATCH',
        path,
        body,
        contentType,
        signal: term.signal,
        deadlineMs,
      });
      this.#published.set(namespace, rootsOf(written));
      this.#failures.delete(namespace);
      return true;
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      if (term.signal.aborted || (error instanceof ApiRefusal && error.status === 404)) return true;
      // Of a namespace that is being deleted, that event may come a moment later than the refusal.
      if (this.#failures.get(namespace) === 1)
        log.warn('the roots of the mesh cannot be written', { namespace, reason: error.message });
      return false;
    }
  }
}
