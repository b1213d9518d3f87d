import { DnsError } from './dns-error.ts';
import { type Attempt, askOverTcp, askOverUdp, type ServerAddress } from './exchange.ts';
import { type Query, responseCode, responseCodeOf } from './message.ts';
import type { DnsObserver } from './observer.ts';
import type { OwnQueries } from './own-queries.ts';

export type Transport = 'udp' | 'tcp';

export interface ForwarderOptions {
  /** The servers to ask, in their order. */
  readonly servers: () => Promise<readonly ServerAddress[]>;
  /** Whether an address is one that this server itself listens on. */
  readonly isOwn: (server: ServerAddress) => boolean;
  readonly own: OwnQueries;
  readonly observer: DnsObserver;
  readonly signal: AbortSignal;
  /** Of one attempt and of all of them together. */
  readonly attemptMs?: number;
  readonly overallMs?: number;
}

/** How often each server is asked. */
const tries = 2;
/** Codes that tell of the server, not of the name: another one may know. */
const unhelpful: ReadonlySet<number> = new Set([responseCode.serverFailure, responseCode.refused]);

/**
 * Asks the servers of the system's resolver, over the client's own transport: the one that answered last first, each for
 * two seconds, twice, five seconds in all.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #running = new Map<string, Promise<Buffer>>();
  #preferred = '';

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /**
   * The answer, whatever its code; of servers that all say that they cannot, the first one's. Throws `DnsError`. What is
   * being asked already is not asked again: many equal queries make the id of one easy to guess (RFC 5452 5), and a
   * resolver of this machine whose own queries are led back here would make ever more of them.
   */
  ask(query: Query, transport: Transport): Promise<Buffer> {
    const key = transport + query.bytes.toString('latin1', 2);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const asked = this.#askAll(query, transport).finally(() => this.#running.delete(key));
    this.#running.set(key, asked);
    return asked;
  }

  async #askAll(query: Query, transport: Transport): Promise<Buffer> {
    const { servers, isOwn, own, signal, attemptMs = 2_000, overallMs = 5_000 } = this.#options;
    const named = (await servers()).filter((server) => !isOwn(server));
    if (named.length === 0) throw new DnsError('dns-upstream-failed', 'the system names no DNS server but this one');
    const order = named.sort((a, b) => Number(this.#isPreferred(b)) - Number(this.#isPreferred(a)));
    const end = performance.now() + overallMs;
    let firstAnswer: Buffer | undefined;
    let lastError: unknown;
    for (const server of Array.from({ length: tries }, () => order).flat()) {
      const leftMs = Math.min(attemptMs, end - performance.now());
      if (leftMs <= 0 || signal.aborted) break;
      const timed = deadline(leftMs, signal);
      try {
        const answer = await this.#attempt({ server, query, own, signal: timed.signal }, transport);
        if (!unhelpful.has(responseCodeOf(answer))) {
          this.#preferred = keyOf(server);
          return answer;
        }
        firstAnswer ??= answer;
      } catch (error) {
        lastError = error;
      } finally {
        timed.clear();
      }
    }
    if (firstAnswer !== undefined) return firstAnswer;
    const message = `no answer from ${named.map(({ address }) => address).join(', ')}`;
    throw new DnsError('dns-upstream-failed', message, { cause: lastError });
  }

  async #attempt(attempt: Attempt, transport: Transport): Promise<Buffer> {
    const { observer } = this.#options;
    const startMs = performance.now();
    observer.asked('plain');
    try {
      const answer = await (transport === 'udp' ? askOverUdp(attempt) : askOverTcp(attempt));
      observer.answered('plain', performance.now() - startMs);
      return answer;
    } catch (error) {
      observer.missed('plain');
      throw error;
    }
  }

  #isPreferred(server: ServerAddress): boolean {
    return keyOf(server) === this.#preferred;
  }
}

/** A signal that fires after `ms`, or with the other one. */
function deadline(ms: number, outer: AbortSignal): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const fire = (): void => controller.abort(new Error('no answer in time'));
  const timer = setTimeout(fire, ms);
  outer.addEventListener('abort', fire, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', fire);
    },
  };
}

function keyOf({ address, port }: ServerAddress): string {
  return `${address} ${port}`;
}
