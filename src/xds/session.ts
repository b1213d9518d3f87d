import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Codec } from './codec.ts';
import type { DiscoveryObserver } from './observer.ts';
import type { ResourceStore } from './resource.ts';
import type { StreamReaction } from './state-of-the-world.ts';

/** One subscription, in either form of the protocol. */
export interface DiscoveryStream<Request, Response> {
  receive(request: Request): StreamReaction<Response>;
  update(): Response | undefined;
  readonly pendingNames: readonly string[];
}

/** A stream that is carried. */
export interface Session {
  /**
   * Since when a response waits for the client's word, as `performance.now()` counts; undefined while none does, and once
   * the stream is closed.
   */
  readonly unansweredSinceMs: number | undefined;
  /** Tells that the client does not answer, once until it does. */
  goStale(): void;
  /** Ends the stream of a client that does not answer: one that lives comes back, and gets everything anew. */
  recycle(): void;
}

/** More names than this in one request is no proxy of ours. */
const mostNames = 100;
/** INVALID_ARGUMENT of gRPC's status codes. */
const invalidArgument = 3;
/** UNAVAILABLE: the client may try again. */
const unavailable = 14;

interface SessionParts<Request, Response> {
  readonly call: ServerDuplexStream<Buffer, Buffer>;
  readonly codec: Codec<Request, Response>;
  readonly stream: DiscoveryStream<Request, Response>;
  readonly store: ResourceStore;
  readonly namesOf: (request: Request) => readonly string[];
  readonly versionOf: (response: Response) => string;
  readonly observer: DiscoveryObserver;
}

/**
 * Carries one gRPC stream: requests in, responses out. Changes of the store are sent once a turn of the event loop, and
 * while the client does not read they are kept back, so that it gets the newest state and memory stays flat.
 */
export function serveSession<Request extends { readonly typeUrl: string }, Response>(
  parts: SessionParts<Request, Response>,
): Session {
  return new CarriedStream(parts);
}

class CarriedStream<Request extends { readonly typeUrl: string }, Response> implements Session {
  readonly #parts: SessionParts<Request, Response>;
  readonly #unsubscribe: () => void;
  /** Names without a resource that have been reported. */
  readonly #waiting = new Set<string>();
  #isScheduled = false;
  #isOpen = true;
  /** Responses that the transport has not taken yet. */
  #unsent = 0;
  #unansweredSinceMs: number | undefined;
  #isStale = false;

  constructor(parts: SessionParts<Request, Response>) {
    this.#parts = parts;
    this.#unsubscribe = parts.store.onChange(() => this.#schedule());
    parts.observer.opened?.();
    this.#listen();
  }

  get unansweredSinceMs(): number | undefined {
    return this.#unansweredSinceMs;
  }

  goStale(): void {
    if (this.#isStale || !this.#isOpen) return;
    this.#isStale = true;
    this.#parts.observer.wentStale?.();
  }

  recycle(): void {
    this.#end(unavailable, 'no answer to a response');
  }

  #listen(): void {
    const { call, observer } = this.#parts;
    const close = (): void => this.#close();
    call.on('data', (bytes: Buffer) => this.#take(bytes));
    call.on('end', () => {
      close();
      call.end();
    });
    call.on('cancelled', close);
    call.on('error', close);
    call.on('close', () => {
      close();
      for (; this.#unsent > 0; this.#unsent -= 1) observer.pushFailed?.();
    });
  }

  #take(bytes: Buffer): void {
    if (!this.#isOpen) return;
    try {
      this.#receive(bytes);
    } catch (cause) {
      this.#parts.observer.failed?.(new Error('a request of the discovery protocol is not understood', { cause }));
      this.#end(invalidArgument, 'request not understood');
    }
  }

  #receive(bytes: Buffer): void {
    const { codec, stream, store, namesOf, observer } = this.#parts;
    const request = codec.decode(bytes);
    this.#waitNoMore();
    checkRequest(request.typeUrl, namesOf(request), store);
    const { response, refusal } = stream.receive(request);
    if (refusal !== undefined) observer.refused?.(refusal);
    if (response !== undefined) this.#send(response);
    for (const name of stream.pendingNames) {
      if (!this.#waiting.has(name)) observer.waiting?.(name);
      this.#waiting.add(name);
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    // What is on its way is waited for: a client that does not read gets the newest state once it reads again.
    if (!this.#isOpen || this.#unsent > 0) return;
    const response = this.#parts.stream.update();
    if (response !== undefined) this.#send(response);
  }

  #send(response: Response): void {
    const { call, codec, store, versionOf, observer } = this.#parts;
    this.#unsent += 1;
    this.#unansweredSinceMs ??= performance.now();
    const sent = (error?: Error | null): void => {
      if (error !== undefined && error !== null) return;
      this.#unsent -= 1;
      this.#schedule();
    };
    call.write(codec.encode(response), sent);
    observer.pushed?.({ typeUrl: store.type.typeUrl, version: versionOf(response) });
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#waitNoMore();
    this.#unsubscribe();
    this.#parts.observer.closed?.();
  }

  /** The client has answered, or cannot any more. */
  #waitNoMore(): void {
    this.#unansweredSinceMs = undefined;
    if (this.#isStale) this.#parts.observer.noLongerStale?.();
    this.#isStale = false;
  }

  #end(code: number, details: string): void {
    this.#close();
    // The way in which a handler of this gRPC library ends a stream with a status.
    this.#parts.call.emit('error', { code, details });
  }
}

function checkRequest(typeUrl: string, names: readonly string[], store: ResourceStore): void {
  if (typeUrl !== '' && typeUrl !== store.type.typeUrl) throw new Error(`type "${typeUrl}" is not served here`);
  if (names.length > mostNames) throw new Error(`${names.length} names in one request, at most ${mostNames}`);
}
