import type { ReadClock } from '../../lib/clock.ts';
import type { LogFields, PlainLog } from '../../lib/log.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { StreamOrigin } from '../../xds/observer.ts';

/** Anybody who can connect can cause such lines, so their number is limited. */
const lines = { perSecond: 5, burst: 100 };
/** In characters, because a client can send an id of any length. */
const longestId = 300;

/** The client of a stream that is refused, as far as it is known. */
interface RefusedStream extends Partial<StreamOrigin> {
  readonly peer: string;
  /** SPIFFE ID of its certificate. */
  readonly identity?: string;
}

/** Logs which streams are refused, of whom, and why. Of a flood of them it logs some, and how many it left out. */
export class RefusalLog {
  readonly #log: PlainLog;
  readonly #clock: ReadClock;
  readonly #buckets = new TokenBuckets(lines);
  #leftOut = 0;

  constructor(log: PlainLog, clock: ReadClock = () => performance.now()) {
    this.#log = log;
    this.#clock = clock;
  }

  tell(reason: string, { peer, nodeId = '', identity }: RefusedStream): void {
    if (!this.#buckets.take('', this.#clock())) {
      this.#leftOut++;
      return;
    }
    const who: LogFields = {
      ...(identity !== undefined && { identity }),
      ...(nodeId !== '' && { proxy: nodeId.slice(0, longestId) }),
    };
    const leftOut: LogFields = this.#leftOut === 0 ? {} : { leftOut: this.#leftOut };
    this.#leftOut = 0;
    this.#log.warn('a configuration stream is refused', { reason, peer, ...who, ...leftOut });
  }
}

/** The message with its cause. */
export function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message.slice(0, longestId)}` : message;
}
