import { delay } from '../lib/abort.ts';
import { append } from '../lib/append.ts';
import { sortedBy } from '../lib/sort.ts';
import { followAnswers } from './blocking-query.ts';
import type { ConsulApi } from './consul-api.ts';
import { ConsulError } from './consul-error.ts';
import {
  type ConsulCheck,
  type ConsulInstance,
  readChecks,
  readInstances,
  readServiceTags,
} from './consul-instance.ts';

export interface ConsulCatalogState {
  /** All services were known once. */
  readonly hasSynced: boolean;
  /** When the server was last heard of, in milliseconds since 1970; undefined: never. */
  readonly heardAt: number | undefined;
  /** Why nothing is heard now. */
  readonly problem: string | undefined;
}

export interface ConsulCatalogOptions {
  readonly api: ConsulApi;
  /** Services or instances differ, or all are known for the first time. */
  readonly onChange: () => void;
  /** The state has a problem, or has none any more. */
  readonly onState: (state: ConsulCatalogState) => void;
  /** How long services stay that a server does not have after it was away, because it may have lost its state. */
  readonly resetMs?: number;
  readonly waitMs?: number;
}

/** Instances are asked for side by side, below the connections that a server allows one client. */
const mostQuestions = 16;
/** At most a tenth of the time is spent looking at all services. */
const sweepShare = 10;
const shortestSweepMs = 200;
const agentsReturnMs = 60_000;

/**
 * Follows the services of one datacenter of Consul. Two questions wait for changes: that for the names and tags of all
 * services, and that for the state of all checks. What they say of decides which services are asked for; whenever an instance
 * may have come, gone or moved, which nothing names, all are. An outage forgets nothing.
 */
export class ConsulCatalog {
  readonly #options: ConsulCatalogOptions;
  readonly #ended = new AbortController();
  #tags: ReadonlyMap<string, string> | undefined;
  #checks: ReadonlyMap<string, ConsulCheck> | undefined;
  readonly #services = new Map<string, readonly ConsulInstance[]>();
  /** Names to ask for, those that changed first. */
  readonly #wanted = new Set<string>();
  #isSweepWanted = false;
  #heldUntil = 0;
  #wake: () => void = () => undefined;
  #state: ConsulCatalogState = { hasSynced: false, heardAt: undefined, problem: undefined };
  readonly #problems = new Map<string, string>();

  constructor(options: ConsulCatalogOptions) {
    this.#options = options;
  }

  /** The instances of each service, by its name as Consul has it. */
  get services(): ReadonlyMap<string, readonly ConsulInstance[]> {
    return this.#services;
  }

  get state(): ConsulCatalogState {
    return this.#state;
  }

  /** Follows until `close`. */
  start(): void {
    this.#follow('/v1/catalog/services', (value, isOlder) => this.#takeTags(readServiceTags(value), isOlder));
    this.#follow('/v1/health/state/any', (value) => this.#takeChecks(readChecks(value)));
    void this.#askForWanted();
  }

  close(): void {
    this.#ended.abort();
    this.#options.api.close();
  }

  #follow(path: string, take: (value: unknown, isOlder: boolean) => void): void {
    const { api, waitMs } = this.#options;
    void followAnswers({
      ...{ api, path, signal: this.#ended.signal, ...(waitMs !== undefined && { waitMs }) },
      onAnswer: ({ value, isOlder }) => {
        take(value, isOlder);
        this.#wake();
      },
      onHeard: () => this.#heard(path, undefined),
      onFailure: (error) => this.#heard(path, error),
    });
  }

  #takeTags(tags: ReadonlyMap<string, string>, isOlder: boolean): void {
    const before = this.#tags;
    this.#tags = tags;
    if (isOlder) this.#hold();
    for (const [name, text] of tags) if (before?.get(name) !== text) this.#wanted.add(name);
    this.#isSweepWanted = true;
  }

  /**
   * A server that was away, or whose index is smaller than before, may have lost its state. Agents register their
   * services again within a minute.
   */
  #hold(): void {
    if (this.#state.hasSynced) this.#heldUntil = Date.now() + (this.#options.resetMs ?? agentsReturnMs);
  }

  #takeChecks(list: readonly ConsulCheck[]): void {
    const before = this.#checks;
    const now = new Map(list.map((check) => [check.key, check]));
    this.#checks = now;
    if (before === undefined) return;
    const changed = [...now.values(), ...before.values()].filter(
      ({ key }) => now.get(key)?.status !== before.get(key)?.status,
    );
    const onNode = new Map<string, string[]>();
    for (const [name, instances] of this.#services) for (const { node } of instances) append(onNode, node, name);
    for (const { service, node } of changed) {
      for (const name of service === '' ? (onNode.get(node) ?? []) : [service]) this.#wanted.add(name);
    }
  }

  /** Asks for the instances of what is wanted, until the end. */
  async #askForWanted(): Promise<void> {
    const { signal } = this.#ended;
    let sweepAt = 0;
    while (!signal.aborted) {
      if (this.#heldUntil > 0 && !this.#isHeld) {
        this.#heldUntil = 0;
        this.#isSweepWanted = true;
      }
      const isSweep = this.#isSweepWanted && Date.now() >= sweepAt;
      if (isSweep) {
        this.#isSweepWanted = false;
        for (const name of this.#tags?.keys() ?? []) this.#wanted.add(name);
      }
      const began = Date.now();
      const hasFailed = await this.#askOnce([...this.#wanted], signal);
      this.#dropGone();
      if (isSweep) sweepAt = Date.now() + Math.max(shortestSweepMs, (Date.now() - began) * sweepShare);
      this.#settle();
      await this.#untilWanted(hasFailed ? Date.now() + 1_000 : this.#nextAt(sweepAt), hasFailed);
    }
  }

  /** Whether a question failed; it is asked again. */
  async #askOnce(names: readonly string[], signal: AbortSignal): Promise<boolean> {
    if (names.length === 0) return false;
    const left = [...names];
    let failure: ConsulError | undefined;
    const askNext = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined && failure === undefined; name = left.shift()) {
        this.#wanted.delete(name);
        try {
          await this.#ask(name, signal);
        } catch (error) {
          this.#wanted.add(name);
          if (!(error instanceof ConsulError)) throw error;
          failure = error;
        }
      }
    };
    await Promise.all(Array.from({ length: mostQuestions }, askNext));
    if (signal.aborted) return false;
    this.#heard('instances', failure);
    return failure !== undefined;
  }

  async #ask(name: string, signal: AbortSignal): Promise<void> {
    if (this.#tags?.has(name) !== true) return;
    const path = `/v1/health/service/${encodeURIComponent(name)}`;
    const { value } = await this.#options.api.ask({ path, signal });
    const before = this.#services.get(name) ?? [];
    const instances = new Map(readInstances(value).map((instance) => [keyOf(instance), instance]));
    // A server whose state is not whole yet says nothing of instances that it does not have.
    const held = this.#isHeld ? before.filter((instance) => !instances.has(keyOf(instance))) : [];
    const sorted = sortedBy([...instances.values(), ...held], keyOf);
    if (JSON.stringify(before) === JSON.stringify(sorted)) return;
    this.#services.set(name, sorted);
    if (this.#state.hasSynced) this.#options.onChange();
  }

  #dropGone(): void {
    if (this.#tags === undefined || this.#isHeld) return;
    const gone = [...this.#services.keys()].filter((name) => this.#tags?.has(name) !== true);
    for (const name of gone) this.#services.delete(name);
    if (gone.length > 0 && this.#state.hasSynced) this.#options.onChange();
  }

  #settle(): void {
    if (this.#state.hasSynced || this.#tags === undefined || this.#checks === undefined) return;
    if (this.#wanted.size > 0 || this.#isSweepWanted) return;
    this.#state = { ...this.#state, hasSynced: true };
    this.#options.onChange();
  }

  #nextAt(sweepAt: number): number {
    if (this.#isSweepWanted) return sweepAt;
    return this.#heldUntil > 0 ? this.#heldUntil : Number.POSITIVE_INFINITY;
  }

  /** The server was away a short while ago, or is. */
  get #isHeld(): boolean {
    return Date.now() < this.#heldUntil;
  }

  /** Until something is wanted, or the time has come. */
  async #untilWanted(at: number, isLate: boolean): Promise<void> {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = () => {
        if (!isLate) resolve();
      };
    });
    if (this.#wanted.size > 0 && !isLate) return;
    const ms = Math.min(Math.max(0, at - Date.now()), 3_600_000);
    await Promise.race([woken, delay(ms, AbortSignal.any([timer.signal, this.#ended.signal]))]);
    timer.abort();
  }

  #heard(what: string, error: ConsulError | undefined): void {
    if (error === undefined) this.#problems.delete(what);
    else this.#problems.set(what, error.message);
    if (error?.code === 'consul-unreachable') this.#hold();
    const [problem] = this.#problems.values();
    const hasChanged = problem !== this.#state.problem;
    const heardAt = error === undefined ? Date.now() : this.#state.heardAt;
    this.#state = { ...this.#state, problem, heardAt };
    if (hasChanged) this.#options.onState(this.#state);
  }
}

function keyOf({ node, id }: ConsulInstance): string {
  return JSON.stringify([node, id]);
}
