import type { ReadClock } from '../../lib/clock.ts';

/** What waits for its turn. */
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
/** After so long a slot comes back though the client has not answered. */
const slotMs = 1_000;
const slowSlotMs = 5_000;

class Pool {
  readonly #limits: PushLimits;
  readonly #running = new Map<object, number>();
  #bytes = 0;

  constructor(limits: PushLimits) {
    this.#limits = limits;
  }

  /** What is larger than the whole limit goes out alone. */
  hasRoom(bytes: number): boolean {
    return (
      this.#running.size === 0 || (this.#running.size < this.#limits.count && this.#bytes + bytes <= this.#limits.bytes)
    );
  }

  enter(who: object, bytes: number): void {
    this.leave(who);
    this.#running.set(who, bytes);
    this.#bytes += bytes;
  }

  leave(who: object): boolean {
    this.#bytes -= this.#running.get(who) ?? 0;
    return this.#running.delete(who);
  }

  get size(): number {
    return this.#running.size;
  }
}

/** Lets so many pushes go out at once, in the order in which they were asked for; one that waits is not asked for twice. */
export class PushQueue {
  readonly #fast: Pool;
  readonly #slow = new Pool(slowLimits);
  readonly #waiting = new Map<object, Pushed>();
  readonly #timers = new Map<object, NodeJS.Timeout>();
  /** Those that did not answer in time, until they do. */
  readonly #late = new WeakSet<object>();
  readonly #clock: ReadClock;
  #isGoing = false;

  constructor(limits: PushLimits, clock: ReadClock = () => performance.now()) {
    this.#fast = new Pool(limits);
    this.#clock = clock;
  }

  /** Slots that are taken. */
  get running(): number {
    return this.#fast.size + this.#slow.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Asks for a turn of `who`; an urgent one goes before all others. */
  ask(who: object, pushed: Pushed, isUrgent = false): void {
    if (isUrgent) {
      const others = [...this.#waiting].filter(([other]) => other !== who);
      this.#waiting.clear();
      this.#waiting.set(who, pushed);
      for (const [other, its] of others) this.#waiting.set(other, its);
    } else this.#waiting.set(who, pushed);
    this.#go();
  }

  /** Everything that was sent to `who` is answered. */
  done(who: object): void {
    this.#late.delete(who);
    if (this.#release(who)) this.#go();
  }

  /** `who` is gone. */
  forget(who: object): void {
    this.#waiting.delete(who);
    if (this.#release(who)) this.#go();
  }

  #release(who: object): boolean {
    clearTimeout(this.#timers.get(who));
    this.#timers.delete(who);
    const wasFast = this.#fast.leave(who);
    return this.#slow.leave(who) || wasFast;
  }

  #go(): void {
    if (this.#isGoing) return;
    this.#isGoing = true;
    const began = this.#clock();
    for (const [who, pushed] of this.#waiting) {
      // Other work of the process has its turn between.
      if (this.#clock() - began > 10) {
        setImmediate(() => this.#go());
        break;
      }
      const isLate = this.#late.has(who);
      const pool = isLate ? this.#slow : this.#fast;
      if (!pool.hasRoom(pushed.bytes)) continue;
      this.#waiting.delete(who);
      this.#release(who);
      pool.enter(who, pushed.bytes);
      this.#timers.set(who, setTimeout(() => this.#takeBack(who), isLate ? slowSlotMs : slotMs).unref());
      pushed.push();
    }
    this.#isGoing = false;
  }

  #takeBack(who: object): void {
    this.#late.add(who);
    if (this.#release(who)) this.#go();
  }
}
