import type { ProxyViews } from './mesh-snapshot.ts';
import { PushQueue } from './push-queue.ts';

/** Of the first configurations that are on their way together; the transport copies each. */
const bytesTogether = 64 * 1_048_576;
const mostTogether = 1_000;
/** A client that asks for nothing more, and has answered all, has started after so long. */
const quietMs = 100;
/** A client that does not answer gives its turn to another one. */
const turnMs = 10_000;
/** Of a client that knows what it has: a few resources, or none. */
const bytesOfKnowing = 65_536;

/** One stream that starts. */
export interface Start {
  /** The client has said something: it may be sent more. */
  active(): void;
  /** Everything that was sent is answered. */
  settled(): void;
  /** The stream is closed. */
  closed(): void;
}

/**
 * Gives starting streams turns. A thousand proxies that start together would each get megabytes at once, all of which would
 * wait in memory. So only as many start at a time as there is room for, and the requests of the others are not read yet.
 */
export class Starts {
  readonly #queue = new PushQueue({ count: mostTogether, bytes: bytesTogether }, undefined, turnMs);

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Resolves when it is the stream's turn. */
  async turn(bytes: number): Promise<Start> {
    const start = new QueuedStart(this.#queue);
    await new Promise<void>((resolve) => this.#queue.ask(start, { bytes, push: resolve }));
    return start;
  }
}

class QueuedStart implements Start {
  readonly #queue: PushQueue;
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;

  constructor(queue: PushQueue) {
    this.#queue = queue;
  }

  active(): void {
    clearTimeout(this.#timer);
  }

  settled(): void {
    if (this.#hasStarted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), quietMs).unref();
  }

  closed(): void {
    clearTimeout(this.#timer);
    this.#queue.forget(this);
  }

  #end(): void {
    this.#timer = undefined;
    this.#hasStarted = true;
    this.#queue.done(this);
  }
}

const sizes = new WeakMap<object, number>();

/** Estimates how many bytes a starting client is sent; `isKnowing`: it sends the versions that it has. */
export function bytesToStart(views: ProxyViews, isKnowing: boolean): number {
  if (isKnowing) return bytesOfKnowing;
  const parts = Object.values(views).flatMap((view) => view.parts);
  return parts.reduce((sum, part) => sum + sizeOf(part), 0);
}

/** A list that a thousand proxies share is added up once. */
function sizeOf(part: ProxyViews['clusters']['parts'][number]): number {
  let size = sizes.get(part);
  if (size === undefined) {
    size = part.all.reduce((sum, { body }) => sum + body.length, 0);
    sizes.set(part, size);
  }
  return size;
}
