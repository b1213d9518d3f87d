import type { DiscoveryResource } from './resource.ts';

/** A resource that a client refuses by itself, whatever stands beside it. */
export type Culprit = Pick<DiscoveryResource, 'name' | 'version'>;

/** At least one resource of both together is refused. */
interface Halves {
  /** Sent next, or just sent. */
  readonly probe: readonly DiscoveryResource[];
  readonly rest: readonly DiscoveryResource[];
}

/** More responses than these are not spent on one refusal. */
export const mostProbes = 16;

/**
 * Finds which resources of a refused response are bad, by sending parts of it. What is under suspicion is held back; a
 * resource that is found bad is so in this version, until the client is asked for another one.
 */
export class Suspects {
  /** Versions by name; absent where there are none, for thousands of streams have one of these objects for each type. */
  #bad: Map<string, string> | undefined;
  #suspected: Map<string, string> | undefined;
  #halves: Halves | undefined;
  #left = 0;

  /** Takes up a refused response; what the message names is tried first. Gives what is found bad at once. */
  begin(resources: readonly DiscoveryResource[], message: string): readonly Culprit[] {
    this.#suspected = versionsWith(this.#suspected, resources);
    if (this.#halves !== undefined) {
      this.#halves = { probe: this.#halves.probe, rest: [...this.#halves.rest, ...resources] };
      return [];
    }
    this.#left = mostProbes;
    const named = resources.filter(({ name }) => message.includes(name));
    if (named.length === 0 || named.length === resources.length) return this.#split(resources);
    this.#halves = { probe: named, rest: resources.filter(({ name }) => !message.includes(name)) };
    return [];
  }

  /** Refuses them without a search. */
  holdAll(resources: readonly DiscoveryResource[]): void {
    this.#bad = versionsWith(this.#bad, resources);
  }

  /** Whether this version of the resource is not to be sent, but as a probe. */
  holds({ name, version }: Culprit): boolean {
    return this.#bad?.get(name) === version || this.#suspected?.get(name) === version;
  }

  /** What to send by itself; undefined: nothing is searched. */
  get probe(): readonly DiscoveryResource[] | undefined {
    return this.#halves?.probe;
  }

  /** The client has answered the probe. Gives what is found bad by that. */
  settle(isGood: boolean): readonly Culprit[] {
    if (this.#halves === undefined) return [];
    const { probe, rest } = this.#halves;
    this.#halves = undefined;
    this.#left -= 1;
    // Whichever half is not known to be bad now comes again with the next response.
    this.#release(isGood ? probe : rest);
    const guilty = isGood ? rest : probe;
    return this.#left > 0 ? this.#split(guilty) : this.#condemn(guilty);
  }

  /** Everything may be sent again. */
  clear(): void {
    this.#bad = undefined;
    this.#suspected = undefined;
    this.#halves = undefined;
  }

  #split(guilty: readonly DiscoveryResource[]): readonly Culprit[] {
    if (guilty.length <= 1) return this.#condemn(guilty);
    const middle = guilty.length >> 1;
    this.#halves = { probe: guilty.slice(0, middle), rest: guilty.slice(middle) };
    return [];
  }

  #condemn(guilty: readonly DiscoveryResource[]): readonly Culprit[] {
    this.#bad = versionsWith(this.#bad, guilty);
    this.#release(guilty);
    return guilty.map(({ name, version }) => ({ name, version }));
  }

  #release(resources: readonly DiscoveryResource[]): void {
    for (const { name } of resources) this.#suspected?.delete(name);
  }
}

function versionsWith(versions = new Map<string, string>(), resources: readonly Culprit[]): Map<string, string> {
  for (const { name, version } of resources) versions.set(name, version);
  return versions;
}
