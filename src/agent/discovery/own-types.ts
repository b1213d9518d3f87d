import { status } from '@grpc/grpc-js';

/** How a stream ends whose first request is not understood; CANCELLED: here, where there is no answer to it. */
export const unknowing: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.INVALID_ARGUMENT,
  status.UNIMPLEMENTED,
]);

/**
 * Types of resources that only a control plane of this project has, the oldest first. They are asked for after everything else
 * and one after the other, because a control plane that does not know one ends the stream: it knows no newer one either, and
 * these are never asked for again.
 */
export class OwnTypes {
  #known: readonly string[];
  #left: readonly string[] = [];
  #asked: string | undefined;

  constructor(types: readonly string[]) {
    this.#known = types;
  }

  /** A stream begins. */
  begin(): void {
    this.#left = this.#known;
    this.#asked = undefined;
  }

  /** The type that is to be asked for now; undefined: none, or one is not answered yet. */
  next(): string | undefined {
    if (this.#asked !== undefined) return undefined;
    [this.#asked, ...this.#left] = this.#left;
    return this.#asked;
  }

  answered(type: string): void {
    if (this.#asked === type) this.#asked = undefined;
  }

  /** The stream has ended with this status; gives true when it did because a type is not known there. */
  ended(code: number): boolean {
    const at = this.#asked === undefined ? -1 : this.#known.indexOf(this.#asked);
    this.#asked = undefined;
    if (at < 0 || !unknowing.has(code)) return false;
    this.#known = this.#known.slice(0, at);
    return true;
  }
}
