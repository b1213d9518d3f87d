import type { JudgeKeys } from '../../envoy/judge-keys.ts';
import type { KeySetResult, KeySetSource } from '../../jwks/key-set.ts';
import { createKeySetResolver, type KeySetResolver } from '../../jwks/resolve.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { JwtRule } from '../../policy/request-authentication.ts';
import type { RemoteKeySets } from './gather.ts';

export interface FetchOptions {
  /** Hosts that may be private; see the resolver. */
  readonly allowedHosts: readonly string[];
  readonly log: PlainLog;
  /** Told of each download, whether it gave what was asked for. */
  readonly onFetch?: (isDone: boolean) => void;
  /** How long the first compilation may wait for the keys that it asks for; 5,000 by default. */
  readonly waitMs?: number;
  /** How long a later one may wait for keys that it is the first to ask for; 1,000 by default. */
  readonly laterWaitMs?: number;
  /** Refuses key sets that Envoy would not take. */
  readonly judgeKeys?: JudgeKeys | undefined;
  /** Makes the resolver; tests give one that fetches from elsewhere. */
  readonly createResolver?: typeof createKeySetResolver;
}

/** Key sets as a running proxy has them: fetched, kept, and fetched again. */
export class FetchedKeySets implements RemoteKeySets {
  readonly #resolver: KeySetResolver;
  readonly #laterWaitMs: number;
  #waitMs: number;
  /** Sources of the last compilation, by name: they had their time, and hold up no other change. */
  #waitedFor: ReadonlySet<string> = new Set();
  #listener: () => void = () => {};

  constructor({
    allowedHosts,
    log,
    onFetch,
    waitMs = 5_000,
    laterWaitMs = 1_000,
    judgeKeys,
    createResolver = createKeySetResolver,
  }: FetchOptions) {
    this.#waitMs = waitMs;
    this.#laterWaitMs = laterWaitMs;
    this.#resolver = createResolver({
      allowedHosts,
      judgeKeys,
      observer: {
        onRequest: () => {},
        onRetry: () => {},
        onDownload: (_source, fault) => onFetch?.(fault === undefined),
        onRequestEnd: () => {},
        onChange: ({ issuer }, { keySet, fault }) => {
          if (keySet === undefined) log.warn('the keys of an issuer are gone', { issuer, reason: fault.message });
          else log.info('the keys of an issuer have changed', { issuer, keys: keySet.digest });
          this.#listener();
        },
        onFault: ({ issuer }, { message }) =>
          log.warn('cannot fetch the keys of an issuer', { issuer, reason: message }),
      },
    });
  }

  find(rule: JwtRule): ReturnType<RemoteKeySets['find']> {
    const result = this.#resolver.current(sourceOf(rule));
    if (result?.keySet !== undefined) return { text: result.keySet.text };
    return { reason: result?.fault?.message ?? 'they are still being fetched' };
  }

  /** What is known of a rule's keys, with the fault beside them; undefined: they are still being fetched. */
  look(rule: JwtRule): KeySetResult | undefined {
    return this.#resolver.current(sourceOf(rule));
  }

  /**
   * Keeps the key sets of these rules fresh from now on, no others; waits, for a bounded time, until each of those that
   * the rules before did not name has been fetched or not.
   */
  async fetch(rules: readonly JwtRule[]): Promise<void> {
    const asked = rules.map(sourceOf);
    this.#resolver.retain(asked);
    const fresh = asked.filter((source) => !this.#waitedFor.has(nameOf(source)));
    this.#waitedFor = new Set(asked.map(nameOf));
    if (fresh.length === 0) return;
    const signal = AbortSignal.timeout(this.#waitMs);
    this.#waitMs = this.#laterWaitMs;
    await Promise.all(
      fresh.map((source) =>
        this.#resolver.get(source, signal).catch((reason: unknown) => {
          if (!signal.aborted) throw reason;
        }),
      ),
    );
  }

  /** Other hosts may be private from now on: sources are asked again, and keys whose host is refused now are dropped. */
  allow(hosts: readonly string[]): void {
    this.#resolver.allow(hosts);
  }

  /** Calls `listener` when keys are others than before. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#resolver.close();
  }
}

/** Names where a rule's keys come from. */
export function sourceName(rule: JwtRule): string {
  return nameOf(sourceOf(rule));
}

function nameOf({ issuer, jwksUri }: KeySetSource): string {
  return JSON.stringify([issuer, jwksUri]);
}

function sourceOf({ issuer = '', jwksUri, timeout }: JwtRule): KeySetSource {
  return { issuer, jwksUri, timeoutMs: timeout === undefined ? undefined : parseDuration(timeout) };
}
