import { randomInt } from 'node:crypto';
import { DnsError } from './dns-error.ts';
import { isAnswerTo, type Query, withId } from './message.ts';
import type { DnsObserver } from './observer.ts';
import type { OwnQueries } from './own-queries.ts';
import { TlsConnection, type TlsServer } from './tls-connection.ts';

export interface TlsUpstreamOptions {
  readonly server: TlsServer;
  readonly own: OwnQueries;
  readonly observer: DnsObserver;
  /** How long a query may take, connecting included. */
  readonly queryMs?: number;
  /** A connection without queries is closed after so long. */
  readonly idleMs?: number;
  /** The first wait after a failure; each further one is twice as long, up to 33 s. */
  readonly firstBackoffMs?: number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

const longestBackoffMs = 33_000;

interface Pending {
  readonly query: Query;
  readonly endMs: number;
  readonly sentAtMs: number;
  /** Over the connection that there is now. */
  isSent: boolean;
  finish(answer: Buffer | Error): void;
}

/** Milliseconds to wait after so many failures in a row, at least half of what it is at most. */
export function backoffMs(failures: number, firstMs: number, random: number): number {
  const longest = Math.min(longestBackoffMs, firstMs * 2 ** (failures - 1));
  return longest / 2 + (random * longest) / 2;
}

/**
 * Asks the mesh's DNS server: all queries over one TLS connection, which is made when there is something to ask and made
 * again when it is lost; answers may come in any order (RFC 7858 3.3).
 */
export class TlsUpstream {
  readonly #options: Required<TlsUpstreamOptions>;
  readonly #pending = new Map<number, Pending>();
  #connection: TlsConnection | undefined;
  #failures = 0;
  #notBeforeMs = 0;
  #lastReceivedMs = 0;
  #lastReason = 'no connection in time';
  #retry: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The connection shows another certificate than a new one would. */
  #isOld = false;

  constructor(options: TlsUpstreamOptions) {
    this.#options = { queryMs: 2_000, idleMs: 60_000, firstBackoffMs: 1_000, random: Math.random, ...options };
  }

  /** The answer under an id that means nothing to the client. Throws `DnsError`; nobody else is asked then. */
  ask(query: Query): Promise<Buffer> {
    const { own, observer, queryMs } = this.#options;
    if (this.#isClosed) return Promise.reject(this.#failure('the agent ends'));
    clearTimeout(this.#idle);
    const id = this.#freeId();
    const release = own.add(id, query);
    const sentAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#timedOut(id), queryMs);
      const finish = (answer: Buffer | Error): void => {
        clearTimeout(timer);
        release();
        this.#pending.delete(id);
        observer.pending(this.#pending.size);
        if (answer instanceof Error) {
          observer.missed('tls');
          reject(answer);
        } else {
          observer.answered('tls', performance.now() - sentAtMs);
          resolve(answer);
        }
        if (this.#pending.size === 0) this.#rest();
      };
      this.#pending.set(id, { query, endMs: sentAtMs + queryMs, sentAtMs, isSent: false, finish });
      observer.pending(this.#pending.size);
      observer.asked('tls');
      this.#goOn();
    });
  }

  /** The certificate to be shown is another one: what is asked from the next pause on is asked over a new connection. */
  renew(): void {
    if (this.#pending.size === 0) this.#connection?.close();
    else this.#isOld = this.#connection !== undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#idle);
    this.#connection?.close();
    for (const { finish } of [...this.#pending.values()]) finish(this.#failure('the agent ends'));
    clearTimeout(this.#idle);
  }

  /** Sends what waits, or sees to it that there is a connection for it. */
  #goOn(): void {
    if (this.#isClosed || this.#pending.size === 0) return;
    if (this.#connection !== undefined) {
      if (this.#connection.isOpen) this.#sendAll(this.#connection);
      return;
    }
    const waitMs = this.#notBeforeMs - performance.now();
    if (waitMs <= 0) {
      this.#connect();
      return;
    }
    // Those whose time is up before the next attempt hear it now: asking again later is better than waiting.
    for (const { endMs, finish } of [...this.#pending.values()]) {
      if (endMs <= this.#notBeforeMs) finish(this.#failure(this.#lastReason));
    }
    clearTimeout(this.#retry);
    if (this.#pending.size > 0) this.#retry = setTimeout(() => this.#goOn(), waitMs);
  }

  #connect(): void {
    const { server, queryMs } = this.#options;
    const startMs = performance.now();
    const connection: TlsConnection = new TlsConnection(server, queryMs, {
      opened: () => this.#sendAll(connection),
      received: (message) => this.#received(message),
      closed: (reason) => this.#lost(reason, this.#lastReceivedMs >= startMs),
    });
    this.#connection = connection;
  }

  #sendAll(connection: TlsConnection): void {
    for (const [id, pending] of this.#pending) {
      if (pending.isSent) continue;
      pending.isSent = true;
      connection.send(withId(pending.query.bytes, id));
    }
  }

  #received(message: Buffer): void {
    this.#lastReceivedMs = performance.now();
    this.#failures = 0;
    const id = message.length < 2 ? -1 : message.readUInt16BE(0);
    const pending = this.#pending.get(id);
    // A late answer to a query that was given up, whose id is another one's by now, is not its answer.
    if (pending !== undefined && isAnswerTo(message, id, pending.query)) pending.finish(message);
  }

  /** A connection that has served is made again at once, and gets what it left open; one that has not is a failure. */
  #lost(reason: Error | undefined, hasServed: boolean): void {
    this.#connection = undefined;
    this.#isOld = false;
    this.#lastReason = reason?.message ?? 'the connection was closed';
    if (!hasServed && !this.#isClosed && (reason !== undefined || this.#pending.size > 0)) {
      const { firstBackoffMs, random } = this.#options;
      this.#failures += 1;
      this.#notBeforeMs = performance.now() + backoffMs(this.#failures, firstBackoffMs, random());
    }
    for (const pending of [...this.#pending.values()]) {
      if (pending.isSent && !hasServed) pending.finish(this.#failure(this.#lastReason));
      pending.isSent = false;
    }
    this.#goOn();
  }

  /** A connection over which nothing came while a query waited its full time leads nowhere any more. */
  #timedOut(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const connection = this.#connection;
    pending.finish(this.#failure(connection?.isOpen ? 'no answer in time' : this.#lastReason));
    if (pending.isSent && this.#lastReceivedMs < pending.sentAtMs) connection?.close(new Error('no answer in time'));
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#isClosed) return;
    if (this.#isOld) {
      this.#connection?.close();
      return;
    }
    this.#idle = setTimeout(() => this.#connection?.close(), this.#options.idleMs);
    this.#idle.unref();
  }

  /** Far fewer queries are let in than there are ids. */
  #freeId(): number {
    let id = randomInt(0x10000);
    while (this.#pending.has(id)) id = (id + 1) & 0xffff;
    return id;
  }

  #failure(reason: string): DnsError {
    const { host, port } = this.#options.server;
    return new DnsError(
      'dns-upstream-failed',
      `the DNS server of the mesh, ${host}:${port}, does not answer: ${reason}`,
    );
  }
}
