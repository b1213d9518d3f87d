import { setTimeout as delay } from 'node:timers/promises';
import type { Rate } from '../lib/token-bucket.ts';
import { answerFromZone } from './answer-from-zone.ts';
import { cutAnswer, failureOf, parseQuery, responseCode, responseCodeOf, shorten } from './message.ts';
import { SourceLimits } from './source-limits.ts';
import type { Zone } from './zone.ts';
import type { Viewer } from './zone-name.ts';

/** How a query came, and what its sender heard; `limited`: nothing, or that it should come over TCP. */
export type ObserveQuery = (
  transport: 'udp' | 'tcp' | 'tls',
  outcome: 'answered' | 'missing' | 'refused' | 'failed' | 'limited',
) => void;

/** What queries are answered from, and how many of them. */
export interface ZoneResponderOptions {
  /** With all names of the mesh; undefined: they are not known yet, and everybody hears SERVFAIL. */
  readonly zone: () => Zone | undefined;
  readonly observe: ObserveQuery;
  /** Of the queries of one source. */
  readonly rate: Rate;
}

/** The most that a datagram has: it is not torn apart on its way, and no great weapon against a forged sender. */
const longestDatagram = 1_232;

/** Answers queries from the zone, whoever asks and however. */
export class ZoneResponder {
  readonly #options: ZoneResponderOptions;
  readonly #limits: SourceLimits;

  constructor(options: ZoneResponderOptions) {
    this.#options = options;
    this.#limits = new SourceLimits(options.rate);
  }

  /** Undefined: nothing is said. */
  ofDatagram(message: Buffer, address: string): Buffer | undefined {
    const share = this.#limits.ofDatagram(address, performance.now());
    if (share !== 'whole') {
      this.#options.observe('udp', 'limited');
      return share === 'cut' ? cutAnswer(message) : undefined;
    }
    return this.#answer(message, undefined, 'udp');
  }

  /** Undefined: the connection is of no use. */
  async ofMessage(message: Buffer, from: StreamSender): Promise<Buffer | undefined> {
    const waitMs = this.#limits.waitMs(from.address, performance.now());
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
    return this.#answer(message, from.viewer, from.transport);
  }

  #answer(message: Buffer, viewer: Viewer, transport: 'udp' | 'tcp' | 'tls'): Buffer | undefined {
    const { observe } = this.#options;
    const zone = this.#options.zone();
    const query = parseQuery(message, responseCode.refused);
    if (query === undefined) return undefined;
    const isQuery = !Buffer.isBuffer(query);
    const whole = !isQuery ? query : zone ? answerFromZone(zone, query, viewer) : failureOf(query);
    observe(transport, outcomes[responseCodeOf(whole)] ?? 'refused');
    return transport === 'udp' && isQuery ? shorten(whole, Math.min(query.udpSize, longestDatagram)) : whole;
  }
}

const outcomes: Readonly<Record<number, Parameters<ObserveQuery>[1]>> = {
  [responseCode.noError]: 'answered',
  [responseCode.noSuchName]: 'missing',
  [responseCode.serverFailure]: 'failed',
};

/** Who sends messages over a connection. */
export interface StreamSender {
  readonly address: string;
  readonly viewer: Viewer;
  readonly transport: 'tcp' | 'tls';
}
