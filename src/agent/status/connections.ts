import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import { type ConnectionEnds, isFromThisPod } from './loopback.ts';

/** Connections at a time from this pod, and as many from everywhere else: neither takes the places of the other. */
const maxConnections = 96;
/** Of one address outside this pod. */
const maxPerAddress = 32;
/** How fast one address may open connections, over time and at once. */
const openRate = { perSecond: 50, burst: 100 } as const;
/** Addresses that are remembered. */
const maxAddresses = 4_096;
/** Until the head of the request is whole. */
const headTimeoutMs = 5_000;

/** A connection of the status port, as its reader has it. */
type Connection = Duplex & ConnectionEnds;

/**
 * Keeps a place free for who comes: at a limit the connection that has been without a request for longest is closed, so
 * that neither idle connections nor requests that never get finished lock readiness out. Answers are bounded elsewhere.
 */
export class Connections {
  /** Without a whole request, or answered: in the order in which they were last in use. */
  readonly #waiting = new Map<Connection, string>();
  readonly #busy = new Map<Connection, string>();
  readonly #rate = new TokenBuckets(openRate, maxAddresses);

  /** Whether an address may open one more connection now; this pod always may. */
  mayOpen(socket: Socket): boolean {
    const caller = callerOf(socket);
    return caller === thisPod || this.#rate.take(caller, performance.now());
  }

  /** Takes over a new connection. */
  watch(connection: Connection): void {
    const caller = callerOf(connection);
    const isAlike = (other: string): boolean => (other === thisPod) === (caller === thisPod);
    if (caller !== thisPod) this.#makeRoom(connection, maxPerAddress, (other) => other === caller);
    this.#makeRoom(connection, maxConnections, isAlike);
    if (connection.destroyed) return;
    this.#waiting.set(connection, caller);
    const timer = setTimeout(() => this.#waiting.has(connection) && connection.destroy(), headTimeoutMs);
    connection.once('close', () => {
      clearTimeout(timer);
      this.#waiting.delete(connection);
      this.#busy.delete(connection);
    });
  }

  /** A whole request came over it. */
  begin(connection: Connection): void {
    const caller = this.#waiting.get(connection);
    if (caller === undefined) return;
    this.#waiting.delete(connection);
    this.#busy.set(connection, caller);
  }

  /** Its answer is out. */
  end(connection: Connection): void {
    const caller = this.#busy.get(connection);
    if (caller === undefined || connection.destroyed) return;
    this.#busy.delete(connection);
    this.#waiting.set(connection, caller);
  }

  closeAll(): void {
    for (const connection of [...this.#waiting.keys(), ...this.#busy.keys()]) connection.destroy();
  }

  /** Closes the newest where all of its kind are in use. */
  #makeRoom(newest: Connection, limit: number, isOfKind: (caller: string) => boolean): void {
    const waiting = [...this.#waiting].filter(([, caller]) => isOfKind(caller));
    const busy = [...this.#busy.values()].filter(isOfKind);
    if (waiting.length + busy.length < limit) return;
    const [[oldest] = [newest]] = waiting;
    this.#waiting.delete(oldest);
    oldest.destroy();
  }
}

/** The caller of all connections that programs of this pod make. */
export const thisPod = 'this pod';

/** Whom a limit counts together: an address, or the /64 that one host may have for itself (RFC 6177); else `thisPod`. */
export function callerOf(ends: ConnectionEnds): string {
  if (isFromThisPod(ends)) return thisPod;
  const address = (ends.remoteAddress ?? '').replace(/^::ffff:/i, '').replace(/%.*$/, '');
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  const last = after === undefined || after === '' ? [] : after.split(':');
  const middle = after === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0');
  return [...groups, ...middle, ...last].slice(0, 4).join(':');
}
