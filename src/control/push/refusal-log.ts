import type { ReadClock } from '../../lib/clock.ts';
import type { LogFields, PlainLog } from '../../lib/log.ts';
import type { Refusal } from '../../xds/message.ts';
import type { StreamOrigin } from '../../xds/observer.ts';
import { LimitedLines } from './limited-lines.ts';

/** Anybody who can connect can cause such lines, so their number is limited. */
const ofStreams = { perSecond: 5, burst: 100 };
/** Of one proxy; as many as it takes to find a resource that it refuses, and more. */
const ofResponses = { perSecond: 1, burst: 20 };
/** In characters, because a client can send an id of any length. */
const longestId = 300;

/** The client of a stream that is refused, as far as it is known. */
interface RefusedStream extends Partial<StreamOrigin> {
  readonly peer: string;
  /** SPIFFE ID of its certificate. */
  readonly identity?: string;
}

/** Logs what is refused, of whom, and why. Of a flood of refusals it logs some, and how many it left out. */
export class RefusalLog {
  readonly #log: PlainLog;
  readonly #streams: LimitedLines;
  readonly #responses: LimitedLines;

  constructor(log: PlainLog, clock?: ReadClock) {
    this.#log = log;
    this.#streams = new LimitedLines(ofStreams, clock);
    this.#responses = new LimitedLines(ofResponses, clock);
  }

  /** A stream is refused. */
  tell(reason: string, { peer, nodeId = '', identity }: RefusedStream): void {
    const leftOut = this.#streams.next('');
    if (leftOut === undefined) return;
    const who: LogFields = {
      ...(identity !== undefined && { identity }),
      ...(nodeId !== '' && { proxy: nodeId.slice(0, longestId) }),
    };
    this.#log.warn('a configuration stream is refused', { reason, peer, ...who, ...leftOut });
  }

  /** A proxy refuses a response. */
  tellResponse({ typeUrl, nodeId, message }: Pick<Refusal, 'typeUrl' | 'nodeId' | 'message'>): void {
    const proxy = nodeId.slice(0, longestId);
    const leftOut = this.#responses.next(proxy);
    if (leftOut !== undefined)
      this.#log.warn('a proxy refuses configuration', { type: typeUrl, proxy, message, ...leftOut });
  }
}

/** The message with its cause. */
export function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message.slice(0, longestId)}` : message;
}
