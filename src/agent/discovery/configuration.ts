import { decodeMessage } from '../../envoy/api/decode.ts';
import { type EnvoyResource, type Json, ResourceFile } from '../../envoy/api/resource-file.ts';
import { type ConfigurationList, configurationSteps, configurationTypes } from '../../xds/aggregated-service.ts';
import type { DeltaResponse } from '../../xds/message.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceStore } from '../../xds/resource-store.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import type { StreamScope } from '../../xds/scope.ts';
import { secretStep, secretTypeUrl } from '../../xds/secret-service.ts';
import type { Culprit } from '../../xds/suspects.ts';
import { FetchedNames } from './fetched-names.ts';
import { FetchedSecrets } from './fetched-secrets.ts';

/** All types of a proxy's configuration. */
export const configurationLists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** Resources of each type. */
export type ResourcesByList = Readonly<Record<ConfigurationList, readonly DiscoveryResource[]>>;

/** Types that Envoy requests by names; of listeners and clusters it requests all. */
export type FollowedList = ConfigurationList | 'secrets';

/** The list of a type URL; undefined for a type that is not part of the configuration. */
export function listOfType(typeUrl: string): ConfigurationList | undefined {
  return configurationLists.find((list) => configurationTypes[list].typeUrl === typeUrl);
}

export interface HeldConfigurationOptions {
  /** Envoy names these, and nothing is known of them. */
  readonly lacks: (list: FollowedList, names: readonly string[]) => void;
  /** Envoy wants these no more. */
  readonly drops: (list: FollowedList, names: readonly string[]) => void;
  /** Envoy cannot use a secret, for this reason. */
  readonly refusesSecret?: (reason: string) => void;
  /** Envoy has taken everything that is good: this may be kept. */
  readonly settled: () => void;
}

/** Envoy withholds its word while clusters warm. */
const stepTimeoutMs = 5_000;

interface Waiting {
  readonly list: ConfigurationList;
  readonly resources: readonly Culprit[];
  readonly answer: (refusal: string | undefined) => void;
}

/**
 * Serves Envoy the configuration that the control plane sent. If Envoy refuses a resource, the version that it accepted
 * before is served again. The control plane gets Envoy's answer to each of its responses.
 */
export class HeldConfiguration {
  readonly stores: Readonly<Record<ConfigurationList, ResourceStore>> = {
    clusters: new ResourceStore(configurationTypes.clusters),
    endpoints: new ResourceStore(configurationTypes.endpoints),
    listeners: new ResourceStore(configurationTypes.listeners),
    routes: new ResourceStore(configurationTypes.routes),
  };
  /** Beside the configuration, so that nothing of it is ever written anywhere. */
  readonly secrets: FetchedSecrets = new FetchedSecrets();
  /** For the agent itself. */
  readonly names: FetchedNames;
  readonly #options: HeldConfigurationOptions;
  readonly #good = new Map<ConfigurationList, ResourceView>();
  /** Why Envoy refuses a version of a resource, by list and name. */
  readonly #bad = new Map<string, { readonly version: string; readonly reason: string }>();
  readonly #reasons = new Map<ConfigurationList, string>();
  #waiting: Waiting[] = [];
  #streams = 0;
  #hasSettled = false;
  #listenerFile: { readonly view: ResourceView; readonly file: ResourceFile } | undefined;

  constructor(options: HeldConfigurationOptions) {
    this.#options = options;
    this.names = new FetchedNames(() => options.settled());
  }

  /** Whether Envoy is connected and has answered everything that it was sent. */
  get isSettled(): boolean {
    return this.#streams > 0 && this.#hasSettled;
  }

  get isEmpty(): boolean {
    return configurationLists.every((list) => this.stores[list].view.size === 0);
  }

  /** Takes the place of everything; it is good until Envoy says otherwise. */
  restore(resources: ResourcesByList): void {
    for (const list of configurationLists) {
      this.stores[list].replace(resources[list]);
      this.#good.set(list, this.stores[list].view);
    }
  }

  /** What is served may not be any more: it was another workload's, or of another mesh. */
  clear(): void {
    this.restore({ clusters: [], endpoints: [], listeners: [], routes: [] });
    this.secrets.clear();
    this.names.clear();
    this.#bad.clear();
  }

  /** What Envoy accepted last of each type; undefined where it never said so. */
  good(): ResourcesByList {
    const all = (list: ConfigurationList) => this.#good.get(list)?.all ?? [];
    return {
      clusters: all('clusters'),
      endpoints: all('endpoints'),
      listeners: all('listeners'),
      routes: all('routes'),
    };
  }

  /** Serves what a response brings. `answer` is called once Envoy's word is known: with the reason where it refuses. */
  take(
    list: ConfigurationList,
    { resources, removed }: Pick<DeltaResponse, 'resources' | 'removed'>,
    answer: Waiting['answer'],
  ): void {
    const store = this.stores[list];
    const before = store.view;
    const next = new Map(before.all.map((resource) => [resource.name, resource]));
    for (const name of removed) next.delete(name);
    for (const resource of resources) {
      if (this.#reasonOf(list, resource) === undefined) next.set(resource.name, keptResource(resource));
    }
    this.#waiting.push({ list, resources, answer });
    this.#hasSettled = false;
    store.replace(next.values());
    if (this.#streams === 0 || store.view === before) this.#answerAll();
    if (store.view === before) this.#hasSettled = true;
  }

  /** Envoy is not to get this version of a resource; the one before is served on. */
  refuse(list: ConfigurationList, { name, version }: Culprit, reason: string): void {
    this.#bad.set(`${list} ${name}`, { version, reason });
  }

  forget(list: ConfigurationList, names: readonly string[]): void {
    const gone = new Set(names);
    const { view } = this.stores[list];
    if (!names.some((name) => view.get(name) !== undefined)) return;
    this.stores[list].replace(view.all.filter(({ name }) => !gone.has(name)));
  }

  /** Of one stream of Envoy's. */
  scope(): StreamScope {
    this.#streams += 1;
    this.#hasSettled = false;
    const stores = [...Object.values(this.stores), this.secrets.store];
    return {
      ...{ steps: [secretStep, ...configurationSteps], stepTimeoutMs },
      sourceOf: (typeUrl) => stores.find(({ type }) => type.typeUrl === typeUrl),
      mostNames: () => 1_000_000,
      onChange: (listener) => {
        const ends = stores.map((store) => store.onChange(listener));
        return () => {
          for (const end of ends) end();
        };
      },
      answered: (typeUrl, refusal) => {
        if (refusal === undefined) return;
        const list = listOfType(typeUrl);
        if (list !== undefined) this.#reasons.set(list, refusal.message);
        else this.#options.refusesSecret?.(refusal.message);
      },
      isolated: (typeUrl, culprits) => this.#isolate(typeUrl, culprits),
      asked: (typeUrl, { lacking, dropped }) => {
        const list = typeUrl === secretTypeUrl ? 'secrets' : listOfType(typeUrl);
        if (list === undefined) return;
        if (lacking.length > 0) this.#options.lacks(list, lacking);
        if (dropped.length > 0) this.#options.drops(list, dropped);
      },
      settled: () => this.#settle(),
      closed: () => {
        this.#streams -= 1;
        this.#hasSettled = false;
        if (this.#streams === 0) this.#answerAll();
      },
    };
  }

  /** The listeners that Envoy is served. */
  listeners(): ResourceFile {
    const { view } = this.stores.listeners;
    if (this.#listenerFile?.view !== view) {
      this.#listenerFile = { view, file: new ResourceFile(view.all.map(listenerOf)) };
    }
    return this.#listenerFile.file;
  }

  /** One of them; undefined: Envoy is served none of this name. */
  listener(name: string): EnvoyResource | undefined {
    const held = this.stores.listeners.view.get(name);
    return held && listenerOf(held);
  }

  #isolate(typeUrl: string, culprits: readonly Culprit[]): void {
    const list = listOfType(typeUrl);
    if (list === undefined) return;
    const reason = this.#reasons.get(list) ?? 'refused beside others';
    const next = new Map(this.stores[list].view.all.map((resource) => [resource.name, resource]));
    for (const { name, version } of culprits) {
      this.#bad.set(`${list} ${name}`, { version, reason });
      if (next.get(name)?.version !== version) continue;
      const good = this.#good.get(list)?.get(name);
      if (good === undefined || good.version === version) next.delete(name);
      else next.set(name, good);
    }
    this.stores[list].replace(next.values());
  }

  #settle(): void {
    this.#hasSettled = true;
    const hasChanged = configurationLists.some((list) => this.#good.get(list) !== this.stores[list].view);
    for (const list of configurationLists) this.#good.set(list, this.stores[list].view);
    this.#answerAll();
    if (hasChanged) this.#options.settled();
  }

  #answerAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { list, resources, answer } of waiting) {
      const reasons = resources.flatMap((resource) => this.#reasonOf(list, resource) ?? []);
      answer(reasons.length === 0 ? undefined : [...new Set(reasons)].join('; '));
    }
  }

  #reasonOf(list: ConfigurationList, { name, version }: Culprit): string | undefined {
    const bad = this.#bad.get(`${list} ${name}`);
    if (bad?.version !== version) return undefined;
    return bad.reason.includes(name) ? bad.reason : `${name}: ${bad.reason}`;
  }
}

/** Without what the protocol said beside. */
function keptResource({ name, version, body }: DiscoveryResource): DiscoveryResource {
  return { name, version, body };
}

function listenerOf({ name, version, body }: DiscoveryResource): EnvoyResource {
  const json = decodeMessage('envoy.config.listener.v3.Listener', body) as Json;
  return { name, version, json, text: '' };
}
