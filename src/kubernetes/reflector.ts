import { delay } from '../lib/abort.ts';
import type { KubernetesApi } from './api.ts';
import { ApiRefusal, isExpired, KubernetesError } from './kubernetes-error.ts';
import { listAll } from './list.ts';
import { type ApiObject, pathOf, type ResourceType, withQuery } from './resource-type.ts';
import { watchOnce } from './watch.ts';

/** Receives the objects of the API server and their changes. */
export interface ReflectorSink {
  /** These are all objects there are, at this revision. */
  replace(objects: readonly ApiObject[], revision: string): void;
  set(object: ApiObject): void;
  delete(object: ApiObject): void;
  /** The server does not know the kind, now. Its objects are not to be forgotten by that. */
  unserved(): void;
}

export interface ReflectorState {
  /** Once there was a whole list, or the word that the kind is not served. */
  readonly hasSynced: boolean;
  readonly isServed: boolean;
  /** When the server last spoke, in milliseconds since 1970. */
  readonly heardAt: number | undefined;
  /** Why nothing is heard now. */
  readonly problem: string | undefined;
  readonly revision: string | undefined;
}

export interface ReflectorOptions {
  readonly api: KubernetesApi;
  readonly type: ResourceType;
  /** Absent: of all namespaces. */
  readonly namespace?: string | undefined;
  /** Absent: all of them. A right that names objects allows to list and watch those by their names. */
  readonly name?: string | undefined;
  /** Metadata alone (`PartialObjectMetadata`). */
  readonly isMetadataOnly?: boolean;
  readonly sink: ReflectorSink;
  /** Asked when the server does not serve the kind: why its objects may exist all the same; undefined: there are none. */
  readonly whyUnserved?: (() => Promise<string | undefined>) | undefined;
  /** Asked when the server does not serve the version of the type: the one that it serves; undefined: no other. */
  readonly servedVersion?: (() => Promise<string | undefined>) | undefined;
  /** A state differs: synced for the first time, a problem, or its end. */
  readonly onState?: (state: ReflectorState) => void;
  readonly silenceMs?: number;
  readonly watchMs?: number;
  /** Between two tries; each wait is twice the one before. */
  readonly backOff?: { readonly firstMs: number; readonly longestMs: number };
}

const shortestWatchMs = 1_000;
const usualBackOff = { firstMs: 500, longestMs: 30_000 };
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const metadataLists = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * Follows the objects of one kind: lists them, and watches from the list's revision on. After a watch has ended, it continues
 * from the last revision; if the server no longer has that, it lists again. It forgets nothing because the server doesn't
 * answer.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  #type: ResourceType;
  readonly #ended = new AbortController();
  #state: ReflectorState = {
    hasSynced: false,
    isServed: true,
    heardAt: undefined,
    problem: undefined,
    revision: undefined,
  };
  #failures = 0;
  #woken = new AbortController();

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#type = options.type;
  }

  get state(): ReflectorState {
    return this.#state;
  }

  get type(): ResourceType {
    return this.#type;
  }

  /** Follows until `close`. */
  start(): void {
    void this.#run();
  }

  /** What it waits for may be there now: it asks at once. */
  wake(): void {
    this.#woken.abort();
  }

  close(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        if (this.#state.revision === undefined) await this.#list(signal);
        const beganMs = performance.now();
        await this.#watch(this.#state.revision ?? '', signal);
        // Something before the server may end each watch at once.
        if (performance.now() - beganMs < shortestWatchMs) await this.#pause(0, signal);
        else this.#failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        await this.#failed(error, signal);
      }
    }
  }

  get #path(): string {
    const { namespace, name } = this.#options;
    const all = pathOf(this.#type, namespace);
    return name === undefined ? all : withQuery(all, new URLSearchParams({ fieldSelector: `metadata.name=${name}` }));
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { api, sink, isMetadataOnly = false } = this.#options;
    const { objects, revision } = await listAll(api, this.#path, signal, isMetadataOnly ? metadataLists : undefined);
    sink.replace(objects, revision);
    this.#set({ hasSynced: true, isServed: true, heardAt: Date.now(), problem: undefined, revision });
  }

  async #watch(revision: string, signal: AbortSignal): Promise<void> {
    const { api, sink, isMetadataOnly = false, silenceMs = 150_000, watchMs = 300_000 } = this.#options;
    const handler = {
      set: (object: ApiObject) => sink.set(object),
      delete: (object: ApiObject) => sink.delete(object),
      reached: (reached: string) => {
        this.#failures = 0;
        this.#set({ ...this.#state, heardAt: Date.now(), problem: undefined, revision: reached });
      },
    };
    // Those of many kinds, and of many replicas, do not end together.
    const durationMs = watchMs * (1 + Math.random());
    const accept = isMetadataOnly ? metadataOnly : undefined;
    await watchOnce(api, this.#path, handler, { revision, signal, accept, durationMs, silenceMs });
  }

  async #failed(error: unknown, signal: AbortSignal): Promise<void> {
    if (!(error instanceof KubernetesError)) throw error;
    if (isExpired(error)) {
      this.#state = { ...this.#state, revision: undefined };
      // Once at once; a server that drops each revision is not asked without end.
      if (this.#failures++ === 0) return;
    }
    const isUnserved = error instanceof ApiRefusal && error.status === 404;
    if (isUnserved && (await this.#takesOtherVersion())) return this.#pause(0, signal);
    const reason = isUnserved ? await this.#options.whyUnserved?.() : error.message;
    if (signal.aborted) return;
    if (reason === undefined) {
      this.#options.sink.unserved();
      this.#set({
        ...this.#state,
        hasSynced: true,
        isServed: false,
        heardAt: Date.now(),
        problem: undefined,
        revision: undefined,
      });
    } else {
      this.#set({ ...this.#state, problem: reason, ...(isUnserved && { revision: undefined }) });
    }
    await this.#pause(error instanceof ApiRefusal ? (error.retryAfterMs ?? 0) : 0, signal);
  }

  async #takesOtherVersion(): Promise<boolean> {
    const version = await this.#options.servedVersion?.();
    if (version === undefined || version === this.#type.version) return false;
    this.#type = { ...this.#type, version };
    this.#state = { ...this.#state, revision: undefined };
    return true;
  }

  /** Longer with each failure in a row, and as long as the server wants. */
  async #pause(wantedMs: number, signal: AbortSignal): Promise<void> {
    const { backOff = usualBackOff } = this.#options;
    const ms = Math.min(backOff.firstMs * 2 ** this.#failures++, backOff.longestMs);
    this.#woken = new AbortController();
    await delay(
      Math.max(ms * (0.5 + Math.random() / 2), Math.min(wantedMs, 60_000)),
      AbortSignal.any([signal, this.#woken.signal]),
    );
  }

  #set(state: ReflectorState): void {
    const before = this.#state;
    this.#state = state;
    const isOther =
      before.hasSynced !== state.hasSynced || before.isServed !== state.isServed || before.problem !== state.problem;
    if (isOther) this.#options.onState?.(state);
  }
}
