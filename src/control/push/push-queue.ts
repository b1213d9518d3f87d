import type { ReadClock } from '../../lib/clock.ts';

/** A push that waits for its turn. */
export interface Pushed {
  /** About so many bytes go out. */
  readonly bytes: number;
  /** Sends; `PushQueue.done` is called when all of it is answered. */
  push(): void;
}

export interface PushLimits {
  /** PILOT_PUSH_THROTTLE */
  readonly count: number;
  readonly bytes: number;
}

/** Streams that did not answer in time before share these, so that they hold up nobody but each other. */
const slowLimits: PushLimits = { count: 10, bytes: 8 * 1024 * 1024 };
const usualSlotMs = 1_000;
const slowSlotMs = 5_000;
/** So long pushes are made before others have their turn. */
const longestMs = 10;
/** A push of so few bytes, on its way for so long, gives its slot to another one that waits. */
const smallBytes = 65_536;
const smallSlotMs = 100;

interface Slot {
  readonly bytes: number;
  readonly sinceMs: number;
}

/** Pushes that are on their way, and those that wait for it. */
class Pool {
  readonly waiting = new Map<object, Pushed>();
  /** After so long a slot comes back though the client has not answered. */
  readonly slotMs: number;
  readonly #limits: PushLimits;
  /** The oldest one first. */
  readonly #running = new Map<object, Slot>();
  #bytes = 0;

  constructor(limits: PushLimits, slotMs: number) {
    this.#limits = limits;
    this.slotMs = slotMs;
  }

  /** Nothing has room, however small. */
  get isFull(): boolean {
    return this.#running.size > 0 && (this.#running.size >= this.#limits.count || this.#bytes >= this.#limits.bytes);
  }

  /** What is larger than the whole limit goes out alone. */
  hasRoom(bytes: number): boolean {
    return (
      this.#running.size === 0 || (this.#running.size < this.#limits.count && this.#bytes + bytes <= this.#limits.bytes)
    );
  }

  enter(who: object, bytes: number, sinceMs: number): void {
    this.leave(who);
    this.#running.set(who, { bytes, sinceMs });
    this.#bytes += bytes;
  }

  leave(who: object): boolean {
    this.#bytes -= this.#running.get(who)?.bytes ?? 0;
    return this.#running.delete(who);
  }

  /** The push that has been on its way for the longest time, with the time of its start. */
  get oldest(): readonly [object, Slot] | undefined {
    for (const entry of this.#running) return entry;
    return undefined;
  }

  /** The same of the small ones. */
  get oldestSmall(): readonly [object, Slot] | undefined {
    for (const entry of this.#running) if (entry[1].bytes <= smallBytes) return entry;
    return undefined;
  }

  get size(): number {
    return this.#running.size;
  }
}

/**
 * Limits how many pushes, and how many bytes, are on their way at once, in the order of requests. A push that waits already
 * is not queued again.
 */
export class PushQueue {
  readonly #fast: Pool;
  readonly #slow = new Pool(slowLimits, slowSlotMs);
  /** Those that did not answer in time, until they do. */
  readonly #late = new WeakSet<object>();
  readonly #clock: ReadClock;
  /** One a pool, and not one a push: of a thousand answers hardly any comes too late. */
  readonly #timers = new Map<Pool, NodeJS.Timeout>();
  #isGoing = false;
  #eviction: NodeJS.Timeout | undefined;

  /** `slotMs`: after so long a slot comes back though the client has not answered. */
  constructor(limits: PushLimits, clock: ReadClock = () => performance.now(), slotMs = usualSlotMs) {
    this.#fast = new Pool(limits, slotMs);
    this.#clock = clock;
  }

  /** Number of slots in use. */
  get running(): number {
    return this.#fast.size + this.#slow.size;
  }

  get waiting(): number {
    return this.#fast.waiting.size + this.#slow.waiting.size;
  }

  /** Asks for a turn of `who`; an urgent one goes before all others. */
  ask(who: object, pushed: Pushed, isUrgent = false): void {
    const { waiting } = this.#late.has(who) ? this.#slow : this.#fast;
    if (isUrgent) {
      const others = [...waiting].filter(([other]) => other !== who);
      waiting.clear();
      waiting.set(who, pushed);
      for (const [other, its] of others) waiting.set(other, its);
    } else waiting.set(who, pushed);
    this.#go();
  }

  /** Everything that was sent to `who` is answered. */
  done(who: object): void {
    const isMoved = this.#late.delete(who) && this.#move(who, this.#slow, this.#fast);
    if (this.#release(who) || isMoved) this.#go();
  }

  /** `who` is gone. */
  forget(who: object): void {
    this.#fast.waiting.delete(who);
    this.#slow.waiting.delete(who);
    if (this.#release(who)) this.#go();
  }

  #move(who: object, from: Pool, to: Pool): boolean {
    const pushed = from.waiting.get(who);
    if (pushed === undefined) return false;
    from.waiting.delete(who);
    to.waiting.set(who, pushed);
    return true;
  }

  #release(who: object): boolean {
    const wasFast = this.#fast.leave(who);
    return this.#slow.leave(who) || wasFast;
  }

  #go(): void {
    if (this.#isGoing) return;
    this.#isGoing = true;
    const began = this.#clock();
    const isThrough = this.#empty(this.#fast, began) && this.#empty(this.#slow, began);
    this.#isGoing = false;
    // Other work of the process has its turn between.
    if (!isThrough) setImmediate(() => this.#go());
    else this.#evictInTime();
  }

  /** Pushes what has room; gives false when there was no time for all of it. */
  #empty(pool: Pool, began: number): boolean {
    for (const [who, pushed] of pool.waiting) {
      if (pool.isFull) return true;
      if (!pool.hasRoom(pushed.bytes)) continue;
      const now = this.#clock();
      if (now - began > longestMs) return false;
      pool.waiting.delete(who);
      this.#release(who);
      pool.enter(who, pushed.bytes, now);
      if (!this.#timers.has(pool)) this.#takeBackIn(pool, pool.slotMs);
      pushed.push();
    }
    return true;
  }

  /** A crowd that does not answer does not hold up all others for a second. */
  #evictInTime(): void {
    if (this.#eviction !== undefined) return;
    const oldest = this.#fast.waiting.size > 0 && this.#fast.isFull ? this.#fast.oldestSmall : undefined;
    if (oldest === undefined) return;
    const dueMs = oldest[1].sinceMs + smallSlotMs - this.#clock();
    this.#eviction = setTimeout(() => this.#evict(), Math.max(0, dueMs)).unref();
  }

  #evict(): void {
    this.#eviction = undefined;
    if (this.#fast.waiting.size === 0 || !this.#fast.isFull) return;
    const now = this.#clock();
    for (let i = 0; i < this.#fast.waiting.size; i++) {
      const oldest = this.#fast.oldestSmall;
      if (oldest === undefined || now - oldest[1].sinceMs < smallSlotMs) break;
      this.#giveUp(oldest[0]);
    }
    this.#go();
  }

  #takeBackIn(pool: Pool, ms: number): void {
    this.#timers.set(pool, setTimeout(() => this.#takeBack(pool), ms).unref());
  }

  /** Slots come back whose time is over; the time of the oldest one that is left is waited for. */
  #takeBack(pool: Pool): void {
    this.#timers.delete(pool);
    const now = this.#clock();
    let isFreed = false;
    for (let oldest = pool.oldest; oldest !== undefined; oldest = pool.oldest) {
      const leftMs = oldest[1].sinceMs + pool.slotMs - now;
      if (leftMs > 0) {
        this.#takeBackIn(pool, leftMs);
        break;
      }
      this.#giveUp(oldest[0]);
      isFreed = true;
    }
    if (isFreed) this.#go();
  }

  #giveUp(who: object): boolean {
    this.#late.add(who);
    this.#move(who, this.#fast, this.#slow);
    return this.#release(who);
  }
}
