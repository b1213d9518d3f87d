import type { Turns } from './turns.ts';

/** What requests are read from. */
export interface RequestTransport {
  pause(): unknown;
  resume(): unknown;
}

/**
 * Requests of one gRPC stream, as they come. While there is a reason to read none, the further ones wait in the transport,
 * which lets the client send no more after some.
 */
export class RequestIntake {
  readonly #transport: RequestTransport;
  readonly #turns: Turns | undefined;
  /** Why nothing is read now, so many reasons: requests that wait for their turn, an admission, a pace. */
  #holds = 0;
  #paceTimer: NodeJS.Timeout | undefined;
  #isOpen = true;

  /** With `turns`, requests are taken in turns with those of other streams; without, each as it comes. */
  constructor(transport: RequestTransport, turns: Turns | undefined) {
    this.#transport = transport;
    this.#turns = turns;
  }

  /** Takes a request in its turn. */
  take(act: () => void): void {
    let isHeld = false;
    const actInTurn = (): void => {
      act();
      if (isHeld) this.release();
    };
    if (this.#turns === undefined) actInTurn();
    else if (!this.#turns.take(actInTurn)) {
      isHeld = true;
      this.hold();
    }
  }

  /** Reads nothing, for one reason more, until `release`. */
  hold(): void {
    if (++this.#holds === 1) this.#transport.pause();
  }

  release(): void {
    if (--this.#holds === 0 && this.#isOpen) this.#transport.resume();
  }

  /** Reads nothing for some time. */
  holdFor(waitMs: number): void {
    if (waitMs <= 0) return;
    this.hold();
    this.#paceTimer = setTimeout(() => this.release(), waitMs).unref();
  }

  /** Nothing is to be read any more. */
  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#paceTimer);
  }
}
