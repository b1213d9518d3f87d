import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { ResourceView } from '../../xds/resource-view.ts';
import type { Culprit } from '../../xds/suspects.ts';
import { type ClientRecord, ClientRecords } from './client-records.ts';
import { Lineage, type LineageRules } from './lineage.ts';
import { type ProxyViews, proxyKey, type ServedProxy, type ServedViews } from './mesh-snapshot.ts';

/** A client of the fleet. */
export interface HeldClient {
  /** Its workload. */
  readonly proxy: Pick<ServedProxy, 'namespace' | 'name'>;
  readonly identity: string;
  /** `1.40.0` */
  readonly envoyVersion: string;
}

/** A refused resource. */
export interface FoundCulprit {
  readonly list: ConfigurationList;
  readonly culprit: Culprit;
}

/** Further versions of Envoy are not told apart in refusals of one resource: a client says what it likes. */
const mostEnvoyVersions = 8;

/**
 * Holds back refused versions of resources, and serves the previous version in their place. A resource is held back from one
 * client, across its connections, if that client refuses it; and from all clients with one version of Envoy, if two
 * identities refuse it, because one client must not decide what others get. Changes that may remove access, and endpoints,
 * are never held back.
 */
export class HeldBack {
  readonly #records = new ClientRecords();
  readonly #lineage = new Lineage();
  /** By resource, and then by version of Envoy, who refuses it. */
  readonly #refusals = new Map<string, Map<string, Set<string>>>();
  /** `<version of Envoy>\n<resource>` */
  readonly #held = new Set<string>();
  readonly #exempt = new Set<string>();
  #views = new WeakMap<ResourceView, Map<string, ResourceView>>();

  /** A change of a proxy's listeners may take access away. To be told before anything of the change is noted. */
  exempt(from: ResourceView, to: ResourceView): void {
    for (const resource of to.changesSince(from).changed) this.#exempt.add(keyOf('listeners', resource));
  }

  /** A proxy is served one view after another one; the first one comes after `emptyView`. */
  note(list: ConfigurationList, from: ResourceView, to: ResourceView): void {
    if (from === to) return;
    const rules: LineageRules = {
      isFinal: (resource) => this.#exempt.has(keyOf(list, resource)),
      isRefused: (resource) => this.#refusals.has(keyOf(list, resource)),
    };
    this.#lineage.note(from, to, rules);
  }

  /** Forgets what is told of resources that none of these views has. */
  keep(served: Iterable<ProxyViews>): void {
    const known = [this.#exempt, this.#refusals.keys(), this.#records.all()].flatMap((keys) => [...keys]);
    if (known.length === 0) return;
    const alive = servedKeys(known, served);
    for (const key of this.#exempt) if (!alive.has(key)) this.#exempt.delete(key);
    for (const key of this.#refusals.keys()) if (!alive.has(key)) this.#refusals.delete(key);
    for (const key of this.#held) if (!alive.has(key.slice(key.indexOf('\n') + 1))) this.#held.delete(key);
    this.#records.keep((key) => alive.has(key));
  }

  recordOf(client: HeldClient): ClientRecord {
    return this.#records.of(clientKey(client));
  }

  /** The client answers a response; gives true when it refuses whatever comes from now on. */
  answered(client: HeldClient, refusal: string | undefined): boolean {
    if (refusal === undefined && this.#records.isEmpty) return false;
    return this.#records.answered(clientKey(client), refusal);
  }

  /** Takes a refusal; says for whom the resource is held back from now on. */
  refuse({ list, culprit }: FoundCulprit, client: HeldClient): 'nobody' | 'client' | 'all' {
    const key = keyOf(list, culprit);
    if (list === 'endpoints') return 'nobody';
    const isOfAll = this.#isOfAll(key, client);
    if (this.#exempt.has(key)) return 'nobody';
    const isNews = this.#records.refuses(clientKey(client), key);
    const heldKey = `${client.envoyVersion}\n${key}`;
    const isForAll = isOfAll && !this.#held.has(heldKey);
    if (isForAll) this.#held.add(heldKey);
    if (!isForAll && !isNews) return 'nobody';
    this.#views = new WeakMap();
    return isForAll ? 'all' : 'client';
  }

  /** The views as the client gets them; the same object where nothing is held back. */
  viewsFor(client: HeldClient, views: ServedViews): ServedViews {
    if (this.#held.size === 0 && this.#records.isEmpty) return views;
    const view = (list: ConfigurationList): ResourceView => this.viewFor(list, client, views[list]);
    const lists = {
      ...{ clusters: view('clusters'), endpoints: view('endpoints') },
      ...{ listeners: view('listeners'), routes: view('routes') },
    };
    const isSame = (Object.keys(lists) as ConfigurationList[]).every((list) => lists[list] === views[list]);
    return isSame ? views : { ...lists, secrets: views.secrets, faults: views.faults, names: views.names };
  }

  /** The view as the client gets it; the same object for the same view. */
  viewFor(list: ConfigurationList, client: HeldClient, view: ResourceView): ResourceView {
    const { refused } = this.recordOf(client);
    if (this.#held.size === 0 && refused.size === 0) return view;
    const key = refused.size === 0 ? client.envoyVersion : clientKey(client);
    const made = this.#views.get(view) ?? new Map<string, ResourceView>();
    this.#views.set(view, made);
    let result = made.get(key);
    if (result === undefined) {
      const isHeld = (resource: DiscoveryResource): boolean => {
        const name = keyOf(list, resource);
        return refused.has(name) || this.#held.has(`${client.envoyVersion}\n${name}`);
      };
      result = this.#without(view, isHeld);
      made.set(key, result);
    }
    return result;
  }

  #isOfAll(key: string, { envoyVersion, identity }: HeldClient): boolean {
    const byVersion = this.#refusals.get(key) ?? new Map<string, Set<string>>();
    this.#refusals.set(key, byVersion);
    if (!byVersion.has(envoyVersion) && byVersion.size >= mostEnvoyVersions) return false;
    const identities = byVersion.get(envoyVersion) ?? new Set<string>();
    byVersion.set(envoyVersion, identities);
    if (identities.size < 2) identities.add(identity);
    return identities.size >= 2;
  }

  #without(view: ResourceView, isHeld: (resource: DiscoveryResource) => boolean): ResourceView {
    let isSame = true;
    const parts = view.parts.map((part) => {
      if (!part.all.some(isHeld)) return part;
      isSame = false;
      const kept = part.all.flatMap((resource) => {
        if (!isHeld(resource)) return [resource];
        const before = this.#lineage.before(part, resource.name);
        return before === undefined || isHeld(before) ? [] : [before];
      });
      return new ResourceList(kept);
    });
    return isSame ? view : new ResourceView(...parts);
  }
}

function keyOf(list: ConfigurationList, { name, version }: Culprit): string {
  return `${list}\n${name}\n${version}`;
}

/** Refused resources as people are told of them, `listeners virtualInbound`: each once, whatever versions are refused. */
export function refusedNames(keys: Iterable<string>): readonly string[] {
  const names = [...keys].map((key) => key.split('\n').slice(0, 2).join(' '));
  return [...new Set(names)].sort();
}

function clientKey({ proxy, identity, envoyVersion }: HeldClient): string {
  return `${proxyKey(proxy)}\n${identity}\n${envoyVersion}`;
}

/** Those of the keys that a view has; each list is gone through once, for the names in question. */
function servedKeys(keys: readonly string[], served: Iterable<ProxyViews>): ReadonlySet<string> {
  const names = new Map<ConfigurationList, Set<string>>();
  for (const key of keys) {
    const [list, name] = key.split('\n') as [ConfigurationList, string];
    const ofList = names.get(list) ?? new Set<string>();
    names.set(list, ofList.add(name));
  }
  const alive = new Set<string>();
  const seen = new Set<ResourceList>();
  for (const views of served) {
    for (const [list, ofList] of names) {
      for (const part of views[list].parts) {
        if (seen.has(part)) continue;
        seen.add(part);
        for (const name of ofList) {
          const resource = part.get(name);
          if (resource !== undefined) alive.add(keyOf(list, resource));
        }
      }
    }
  }
  return alive;
}

const listsByType: ReadonlyMap<string, ConfigurationList> = new Map(
  (Object.keys(configurationTypes) as ConfigurationList[]).map((list) => [configurationTypes[list].typeUrl, list]),
);

/** The list of a type; undefined: it is none of a proxy's configuration. */
export function listOf(typeUrl: string): ConfigurationList | undefined {
  return listsByType.get(typeUrl);
}
