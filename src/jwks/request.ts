import type { Clock } from '../lib/clock.ts';
import { abortable } from './abortable.ts';
import { type CheckedKeys, checkKeys } from './check-keys.ts';
import { discoverKeySetUrl } from './discovery.ts';
import { type DownloadOptions, download } from './download.ts';
import { KeySetError, quoted, quotedUrl } from './fault.ts';
import type { KeySetObserver, KeySetSource } from './key-set.ts';
import { retryDelay, type Timings } from './schedule.ts';
import { parseTargetUrl } from './target.ts';

/** What every request of a resolver shares. */
export interface RequestOptions extends Omit<DownloadOptions, 'signal'> {
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly observer: KeySetObserver;
  readonly timings: Timings;
  /** A last opinion on checked keys: why they cannot be used, or undefined. */
  readonly judgeKeys?: ((keySet: string) => Promise<string | undefined>) | undefined;
}

/** The answer of a discovery document, good until `untilMs` of the monotonic clock. */
export interface DiscoveredUrl {
  readonly url: URL;
  readonly untilMs: number;
}

/** Keys, and by which discovered URL they came. */
export interface RequestedKeys {
  readonly keys: CheckedKeys;
  readonly discovered: DiscoveredUrl | undefined;
}

/**
 * Gets a source's keys: discovery where it names no URL, download, check; tries again after a wait while the failure
 * may pass. Throws a `KeySetError`, or the signal's reason.
 */
export async function requestKeys(
  source: KeySetSource,
  known: DiscoveredUrl | undefined,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<RequestedKeys> {
  let discovered = known;
  for (let retry = 1; ; retry++) {
    try {
      const { url, ...found } = await locate(source, discovered, options, signal);
      discovered = found.discovered;
      const text = await observed(source, options, signal, {
        place: quotedUrl(url),
        work: (limited) => download(url, limited),
      });
      const keys = await checkKeys(text);
      const refusal = await options.judgeKeys?.(keys.text);
      if (refusal !== undefined)
        throw new KeySetError('keys-unusable', `Envoy refuses the key set: ${quoted(refusal)}`);
      return { keys, discovered };
    } catch (error) {
      if (!(error instanceof KeySetError) || !error.isTransient || retry > options.timings.retries) throw error;
      // A server that names a time is asked again then, not sooner.
      if (error.retryAfter !== undefined) throw error;
    }
    await options.clock.sleep(retryDelay(retry, options.clock.random()), signal);
    signal.throwIfAborted();
    options.observer.onRetry(source);
  }
}

async function locate(
  source: KeySetSource,
  known: DiscoveredUrl | undefined,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<{ readonly url: URL; readonly discovered: DiscoveredUrl | undefined }> {
  if (source.jwksUri) return { url: parseTargetUrl(source.jwksUri), discovered: undefined };
  const { clock, timings } = options;
  if (known !== undefined && clock.monotonicMs() < known.untilMs) return { url: known.url, discovered: known };
  const place = `the discovery document of ${quoted(source.issuer)}`;
  const work = (limited: DownloadOptions): Promise<URL> => discoverKeySetUrl(source.issuer, limited);
  const url = await observed(source, options, signal, { place, work });
  return { url, discovered: { url, untilMs: clock.monotonicMs() + timings.discoveryMs } };
}

/** Beyond it a rule's `timeout` would let a hanging server hold back news of the failure. */
const longestTimeoutMs = 60_000;

/** Runs one download under its deadline and tells the observer how it ended. */
async function observed<T>(
  source: KeySetSource,
  options: RequestOptions,
  signal: AbortSignal,
  { place, work }: { readonly place: string; readonly work: (options: DownloadOptions) => Promise<T> },
): Promise<T> {
  const limit = Math.min(source.timeoutMs ?? options.timings.fetchTimeoutMs, longestTimeoutMs);
  const done = new AbortController();
  const deadline = new AbortController();
  const ring = options.clock.sleep(limit, done.signal).then(() => {
    if (!done.signal.aborted) deadline.abort(new KeySetError('timed-out', `${place} is not there within ${limit} ms`));
  });
  try {
    const either = AbortSignal.any([signal, deadline.signal]);
    // Whatever the server does, and whatever the transport makes of it, the deadline holds.
    const value = await abortable(work({ ...options, signal: either }), either);
    options.observer.onDownload(source, undefined);
    return value;
  } catch (error) {
    if (error instanceof KeySetError) options.observer.onDownload(source, error.toFault());
    throw error;
  } finally {
    done.abort();
    await ring;
  }
}
