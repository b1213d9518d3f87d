import type { ReadClock } from '../../lib/clock.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import { proxyKey, type ServedProxy } from './mesh-snapshot.ts';

type ProxyName = Pick<ServedProxy, 'namespace' | 'name'>;

/** Whose an open stream is. */
interface Owner {
  readonly proxy: ProxyName;
  readonly identity: string;
}

/** Limits of an open stream. */
export interface StreamBounds {
  /** As `StreamScope.pace`. */
  pace(bytes: number, isAnswer: boolean): number;
  /** The stream is closed. */
  closed(): void;
}

/** New streams: of one proxy, of one identity, of one namespace, and of all. Nobody takes all turns of the next larger one. */
const newOfProxy = { perSecond: 1, burst: 10 };
const newOfIdentity = { perSecond: 50, burst: 250 };
const newOfNamespace = { perSecond: 75, burst: 375 };
const newOfAll = { perSecond: 100, burst: 500 };

/** Requests, of which a large one counts as several. */
const askedByStream = { perSecond: 50, burst: 1_000 };
const askedByIdentity = { perSecond: 250, burst: 5_000 };
const askedByNamespace = { perSecond: 500, burst: 10_000 };
const bytesOfRequest = 16_384;

/** An agent has one, an Envoy one; those of a connection that has broken may still be open beside them. */
const mostOpen = 8;
/** Streams of one identity that wait for a workload that is not known yet. */
const mostWaiting = 100;
const mostKeys = 100_000;

/** Limits new streams, open streams and requests of each proxy, identity and namespace, so that others get their share. */
export class StreamLimits {
  readonly #asking = new TokenBuckets(newOfIdentity, mostKeys);
  readonly #proxies = new TokenBuckets(newOfProxy, mostKeys);
  readonly #namespaces = new TokenBuckets(newOfNamespace, mostKeys);
  readonly #all = new TokenBuckets(newOfAll);
  readonly #waiting = new Counts(mostWaiting);
  readonly #shared: SharedCounts = {
    byIdentity: new TokenBuckets(askedByIdentity, mostKeys),
    byNamespace: new TokenBuckets(askedByNamespace, mostKeys),
    open: new Counts(mostOpen),
  };

  /** A stream of the identity asks to be admitted. It costs the identity alone, whatever it says it is. */
  mayAsk(identity: string, nowMs: number): boolean {
    return this.#asking.take(identity, nowMs);
  }

  /** Counts a wait for a workload; `mayWait` is false where the identity has too many of them. */
  async wait<T>(identity: string, find: (mayWait: boolean) => Promise<T>): Promise<T> {
    if (!this.#waiting.enter(identity)) return find(false);
    try {
      return await find(true);
    } finally {
      this.#waiting.leave(identity);
    }
  }

  /**
   * A stream of a workload, which the caller is, may begin. One that needs nothing, as those of all agents do when they
   * come back together, costs so little that it waits for no other proxy's.
   */
  mayBegin(proxy: ProxyName, needsNothing: boolean, nowMs: number): boolean {
    if (!this.#proxies.take(proxyKey(proxy), nowMs)) return false;
    return needsNothing || (this.#namespaces.take(proxy.namespace, nowMs) && this.#all.take('', nowMs));
  }

  /** Counts an open stream; undefined: the proxy has too many. */
  open(owner: Owner, clock: ReadClock): StreamBounds | undefined {
    return this.#shared.open.enter(proxyKey(owner.proxy)) ? new OpenStream(owner, this.#shared, clock) : undefined;
  }
}

/** What the limits of all open streams are counted in. */
interface SharedCounts {
  readonly byIdentity: TokenBuckets;
  readonly byNamespace: TokenBuckets;
  readonly open: Counts;
}

class OpenStream implements StreamBounds {
  readonly #owner: Owner;
  readonly #shared: SharedCounts;
  readonly #clock: ReadClock;
  readonly #own = new TokenBucket(askedByStream);

  constructor(owner: Owner, shared: SharedCounts, clock: ReadClock) {
    this.#owner = owner;
    this.#shared = shared;
    this.#clock = clock;
  }

  pace(bytes: number, isAnswer: boolean): number {
    // As many answers come as responses were sent.
    const cost = Math.floor(bytes / bytesOfRequest) + (isAnswer ? 0 : 1);
    if (cost === 0) return 0;
    const now = this.#clock();
    const { byIdentity, byNamespace } = this.#shared;
    return Math.max(
      this.#own.spend(cost, now),
      byIdentity.spend(this.#owner.identity, cost, now),
      byNamespace.spend(this.#owner.proxy.namespace, cost, now),
    );
  }

  closed(): void {
    this.#shared.open.leave(proxyKey(this.#owner.proxy));
  }
}

/** How many of each key there are now. */
class Counts {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False when there are as many as may be. Each true wants one `leave`. */
  enter(key: string): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  leave(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
