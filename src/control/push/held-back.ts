import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { ResourceView } from '../../xds/resource-view.ts';
import type { Culprit } from '../../xds/suspects.ts';

/** Who refuses what. */
export interface FoundCulprit {
  readonly list: ConfigurationList;
  readonly culprit: Culprit;
  readonly identity: string;
  /** `1.40.0` */
  readonly envoyVersion: string;
}

interface Held {
  readonly version: string;
  /** What was served before; undefined: nothing. */
  readonly instead: DiscoveryResource | undefined;
}

/**
 * Shared resources that Envoys of one version really refuse, and that others of it are not sent any more. One client's
 * word is not enough: it must not decide what others get. What takes access away is never held back, nor are endpoints.
 */
export class HeldBack {
  /** By list, name and version, and then by version of Envoy, who refuses it. */
  readonly #refusals = new Map<string, Map<string, Set<string>>>();
  readonly #held = new Map<string, Held>();
  /** What changed resources were before their last change. */
  readonly #before = new Map<string, DiscoveryResource>();
  readonly #exempt = new Set<string>();
  #views = new WeakMap<ResourceView, Map<string, ResourceView>>();

  /** Notes what changes from one view to the next; the refusals of versions that are gone count no more. */
  note(list: ConfigurationList, from: ResourceView, to: ResourceView, isUrgent: boolean): void {
    const { changed, removed } = to.changesSince(from);
    for (const name of removed) this.#forget(list, from.get(name));
    for (const { name, version } of changed) {
      const before = from.get(name);
      this.#forget(list, before);
      if (before !== undefined) this.#before.set(`${list}\n${name}`, before);
      if (isUrgent && list === 'listeners') this.#exempt.add(keyOf(list, { name, version }));
    }
    for (const [key, { version }] of this.#held) {
      const [ofList, , name = ''] = key.split('\n');
      const now = ofList === list ? to.get(name) : undefined;
      if (now !== undefined && now.version !== version) this.#held.delete(key);
    }
  }

  /** Takes a refusal; true when the resource is held back from now on. */
  refuse({ list, culprit, identity, envoyVersion }: FoundCulprit): boolean {
    const key = keyOf(list, culprit);
    if (list === 'endpoints' || this.#exempt.has(key)) return false;
    const byVersion = this.#refusals.get(key) ?? new Map<string, Set<string>>();
    this.#refusals.set(key, byVersion);
    const identities = byVersion.get(envoyVersion) ?? new Set<string>();
    byVersion.set(envoyVersion, identities);
    identities.add(identity);
    const heldKey = `${list}\n${envoyVersion}\n${culprit.name}`;
    if (identities.size < 2 || this.#held.get(heldKey)?.version === culprit.version) return false;
    this.#held.set(heldKey, { version: culprit.version, instead: this.#before.get(`${list}\n${culprit.name}`) });
    this.#views = new WeakMap();
    return true;
  }

  /** The view as an Envoy of a version gets it; the same object for the same view. */
  viewFor(list: ConfigurationList, envoyVersion: string, view: ResourceView): ResourceView {
    if (this.#held.size === 0) return view;
    const key = `${list}\n${envoyVersion}`;
    const made = this.#views.get(view) ?? new Map<string, ResourceView>();
    this.#views.set(view, made);
    let result = made.get(key);
    if (result === undefined) {
      result = this.#without(key, view);
      made.set(key, result);
    }
    return result;
  }

  #forget(list: ConfigurationList, gone: DiscoveryResource | undefined): void {
    if (gone === undefined) return;
    this.#before.delete(`${list}\n${gone.name}`);
    this.#refusals.delete(keyOf(list, gone));
    this.#exempt.delete(keyOf(list, gone));
  }

  #without(key: string, view: ResourceView): ResourceView {
    let isSame = true;
    const parts = view.parts.map((part) => {
      const kept = part.all.map((resource) => {
        const held = this.#held.get(`${key}\n${resource.name}`);
        return held?.version === resource.version ? held.instead : resource;
      });
      if (kept.every((resource, i) => resource === part.all[i])) return part;
      isSame = false;
      return new ResourceList(kept.filter((resource) => resource !== undefined));
    });
    return isSame ? view : new ResourceView(...parts);
  }
}

function keyOf(list: ConfigurationList, { name, version }: Culprit): string {
  return `${list}\n${name}\n${version}`;
}

/** The list of a type; undefined: it is none of a proxy's configuration. */
export function listOf(typeUrl: string): ConfigurationList | undefined {
  const lists = Object.keys(configurationTypes) as ConfigurationList[];
  return lists.find((list) => configurationTypes[list].typeUrl === typeUrl);
}
