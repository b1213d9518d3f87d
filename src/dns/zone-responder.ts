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
  /**
   * With the names of the mesh that a sender may know, as far as its namespace does not decide; without one, all of them.
   * Undefined: they are not known yet, and everybody hears SERVFAIL.
   */
  readonly zone: (from?: StreamSender) => Zone | undefined;
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
    return this.#answer(message, 'udp');
  }

  /** Undefined: the connection is of no use. */
  async ofMessage(message: Buffer, from: StreamSender): Promise<Buffer | undefined> {
    const waitMs = this.#limits.waitMs(from.address, performance.now());
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
    return this.#answer(message, from.transport, from);
  }

  #answer(message: Buffer, transport: 'udp' | 'tcp' | 'tls', from?: StreamSender): Buffer | undefined {
    const { observe } = this.#options;
    const zone = this.#options.zone(from);
    const query = parseQuery(message, responseCode.refused);
    if (query === undefined) return undefined;
    const isQuery = !Buffer.isBuffer(query);
    const whole = !isQuery ? query : zone ? answerFromZone(zone, query, from?.viewer) : failureOf(query);
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
  /** Of the namespace, if a certificate proves one. */
  readonly serviceAccount?: string;
  readonly transport: 'tcp' | 'tls';
}
