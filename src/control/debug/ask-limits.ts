import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { DebugReader } from '../auth/reader.ts';

const requestsOfAddress = { perSecond: 5, burst: 30 };
/** What is decoded or compiled for one answer keeps others waiting. */
const costlyOfReader = { perSecond: 1, burst: 5 };
/** The readers of a namespace together: whoever can give out tokens for it has no more of the thread that compiles. */
const costlyOfNamespace = { perSecond: 3, burst: 15 };
const costly: ReadonlySet<string> = new Set(['/debug/config_dump', '/debug/adsz', '/debug/why']);
const mostKeys = 10_000;

/** How much of meshd, and of the thread that compiles, those who ask over the network may have. */
export class AskLimits {
  readonly #byAddress = new TokenBuckets(requestsOfAddress, mostKeys);
  readonly #byReader = new TokenBuckets(costlyOfReader, mostKeys);
  readonly #byNamespace = new TokenBuckets(costlyOfNamespace, mostKeys);

  /** An address may ask, whoever it is. */
  mayAsk(address: string, nowMs: number): boolean {
    return this.#byAddress.take(address, nowMs);
  }

  /**
   * A reader may have the answer to `pathname` about `proxy` (`<namespace>/<name>`). One of all namespaces counts for itself
   * alone, and a question about a namespace that is not the reader's own, which is not answered, for that namespace neither.
   */
  mayHave({ subject, namespaces }: DebugReader, pathname: string, proxy: string | null, nowMs: number): boolean {
    if (!costly.has(pathname)) return true;
    if (!this.#byReader.take(subject, nowMs)) return false;
    const [namespace = ''] = proxy?.split('/') ?? [];
    if (namespaces === 'all' || !namespaces.has(namespace)) return true;
    return this.#byNamespace.take(namespace, nowMs);
  }
}
