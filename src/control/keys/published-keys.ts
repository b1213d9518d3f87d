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

/** What was not published again for so long is nobody's word any more: the leader does it once a minute. */
const staleMs = 300_000;
/** So much may the clocks of two machines differ. */
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

  /** As last read; none where nobody has published them for five minutes, also before this process began. */
  get sets(): PublishedSets {
    const isFresh = this.#heard !== undefined && performance.now() < this.#heard.untilMs;
    return isFresh ? (this.#heard?.sets ?? none) : none;
  }

  /** Reads them; what another has written there and is no key set is passed over, as keys that are not there. */
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

  /** Publishes them; they have to fit into one object. */
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

/** How long what was published then is the leader's word; zero or less: it is so no more, or says no time to go by. */
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

/** Keys come into configurations as they stand here: only what is written as we write it does. */
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
