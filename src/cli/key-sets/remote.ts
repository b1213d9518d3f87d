import type { Log } from '../../agent/log/log.ts';
import type { JwtRule } from '../../compiler/policy/request-authentication.ts';
import type { KeySetSource } from '../../jwks/key-set.ts';
import { createKeySetResolver, type KeySetResolver } from '../../jwks/resolve.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { RemoteKeySets } from './gather.ts';

export interface FetchOptions {
  /** Hosts that may be private; see the resolver. */
  readonly allowedHosts: readonly string[];
  readonly log: Log;
  /** Told of each download, whether it gave what was asked for. */
  readonly onFetch?: (isDone: boolean) => void;
  /** How long a compilation may wait for keys that nobody has asked for before; 5,000 by default. */
  readonly waitMs?: number;
  /** Makes the resolver; tests give one that fetches from elsewhere. */
  readonly createResolver?: typeof createKeySetResolver;
}

/** Key sets as a running proxy has them: fetched, kept, and fetched again. */
export class FetchedKeySets implements RemoteKeySets {
  readonly #resolver: KeySetResolver;
  readonly #waitMs: number;
  #asked: KeySetSource[] = [];
  #listener: () => void = () => {};

  constructor({ allowedHosts, log, onFetch, waitMs = 5_000, createResolver = createKeySetResolver }: FetchOptions) {
    this.#waitMs = waitMs;
    this.#resolver = createResolver({
      allowedHosts,
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

  /** Remembers what is asked for: `settle` waits for it. */
  find(rule: JwtRule): ReturnType<RemoteKeySets['find']> {
    const source = sourceOf(rule);
    this.#asked.push(source);
    const result = this.#resolver.current(source);
    if (result?.keySet !== undefined) return { text: result.keySet.text };
    return { reason: result?.fault?.message ?? 'they are still being fetched' };
  }

  /** Begins a compilation: what earlier ones asked for counts no more. */
  renew(): void {
    this.#asked = [];
  }

  /**
   * Waits, for a bounded time, until each key set that was asked for has been fetched or not, and keeps these fresh from
   * now on, no others.
   */
  async settle(): Promise<void> {
    const asked = [...this.#asked];
    this.#resolver.retain(asked);
    const signal = AbortSignal.timeout(this.#waitMs);
    await Promise.all(
      asked.map((source) =>
        this.#resolver.get(source, signal).catch((reason: unknown) => {
          if (!signal.aborted) throw reason;
        }),
      ),
    );
  }

  /** Calls `listener` when keys are others than before. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#resolver.close();
  }
}

function sourceOf({ issuer = '', jwksUri, timeout }: JwtRule): KeySetSource {
  return { issuer, jwksUri, timeoutMs: timeout === undefined ? undefined : parseDuration(timeout) };
}
