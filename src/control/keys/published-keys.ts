import { checkKeys } from '../../jwks/check-keys.ts';
import type { ApiRequest, KubernetesApi } from '../../kubernetes/api.ts';
import { ApiRefusal } from '../../kubernetes/kubernetes-error.ts';
import { type ApiObject, pathOf } from '../../kubernetes/resource-type.ts';

/** Keys of a source as the leader has them, or why it has none. */
export type PublishedKeySet =
  | { readonly text: string; readonly fetchedAtMs: number }
  | { readonly reason: string; readonly text?: undefined };

/** By the name of the source. */
export type PublishedSets = ReadonlyMap<string, PublishedKeySet>;

interface ConfigMap extends ApiObject {
  readonly data?: { readonly sets?: string; readonly publishedAt?: string };
}

/** Name of the ConfigMap. */
export const keySetsName = 'meshd-key-sets';

/** Published keys expire after this time; the leader publishes them once a minute. */
const staleMs = 300_000;
/** Largest difference of the clocks of two machines. */
const skewMs = 60_000;
/** As long as a replica keeps keys whose issuer does not answer. */
export const longestAgeMs = 7 * 86_400_000;

/** The key sets that the leader publishes in a ConfigMap, so that all replicas compile the same ones. */
export class PublishedKeys {
  readonly #api: Pick<KubernetesApi, 'ask'>;
  readonly #folder: string;
  #heard: { readonly revision: string; readonly sets: PublishedSets; readonly untilMs: number } | undefined;

  constructor(api: Pick<KubernetesApi, 'ask'>, namespace: string) {
    this.#api = api;
    this.#folder = pathOf({ group: '', version: 'v1', resource: 'configmaps' }, namespace);
  }

  /** The key sets as last read; empty if nobody has published them for five minutes. */
  get sets(): PublishedSets {
    const isFresh = this.#heard !== undefined && performance.now() < this.#heard.untilMs;
    return isFresh ? (this.#heard?.sets ?? none) : none;
  }

  /** Reads them; entries that are not valid key sets are ignored. */
  async read(): Promise<void> {
    let found: ConfigMap;
    try {
      found = await this.#ask<ConfigMap>({ path: `${this.#folder}/${keySetsName}` });
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.status === 404)) throw error;
      this.#heard = undefined;
      return;
    }
    const { resourceVersion: revision = '' } = found.metadata;
    if (revision === this.#heard?.revision) return;
    const untilMs = performance.now() + freshMs(found.data?.publishedAt);
    this.#heard = { revision, sets: await setsOf(found.data?.sets ?? ''), untilMs };
  }

  /** Publishes them; they must fit into one object. */
  async write(sets: PublishedSets): Promise<void> {
    const text = JSON.stringify(Object.fromEntries(sets));
    const body = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: keySetsName } },
      data: { sets: text, publishedAt: new Date().toISOString() },
    };
    const path = `${this.#folder}/${keySetsName}?fieldManager=meshd&force=true`;
    await this.#ask({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
  }

  #ask<T>(request: ApiRequest): Promise<T> {
    return this.#api.ask<T>({ ...request, deadlineMs: 5_000 });
  }
}

const none: PublishedSets = new Map();

/**
 * Milliseconds until keys that were published then expire; zero or less if they have expired, or if the time is missing or in
 * the future.
 */
function freshMs(publishedAt: string | undefined): number {
  const ageMs = Date.now() - Date.parse(publishedAt ?? '');
  return ageMs >= -skewMs ? Math.min(staleMs, staleMs + skewMs - ageMs) : 0;
}

async function setsOf(text: string): Promise<PublishedSets> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return none;
  }
  const sets = new Map<string, PublishedKeySet>();
  for (const [name, set] of Object.entries(isObject(value) ? value : {})) {
    const usable = isObject(set) ? await usableSet(set) : undefined;
    if (usable !== undefined) sets.set(name, usable);
  }
  return sets;
}

/** The key set if it has exactly the form that we write, because configurations contain its text unchanged. */
async function usableSet({ text, fetchedAtMs, reason }: PlainObject): Promise<PublishedKeySet | undefined> {
  if (typeof text === 'string' && typeof fetchedAtMs === 'number') {
    const ageMs = Date.now() - fetchedAtMs;
    if (ageMs < -skewMs || ageMs >= longestAgeMs) return undefined;
    const checked = await checkKeys(text).catch(() => undefined);
    return checked?.text === text ? { text, fetchedAtMs } : undefined;
  }
  return typeof reason === 'string' ? { reason } : undefined;
}

type PlainObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null;
}
