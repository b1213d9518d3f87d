import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { AnyRequest, AnyResponse, ProtocolForm } from './form.ts';
import type { DiscoveryObserver, StreamOrigin } from './observer.ts';
import { RequestIntake } from './request-intake.ts';
import { StreamRefusal, type StreamScope } from './scope.ts';
import { ScopedStreams } from './scoped-streams.ts';
import type { Turns } from './turns.ts';

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
  /** Ends the stream with a status of gRPC's. */
  end(code: number, details: string): void;
}

/** INVALID_ARGUMENT of gRPC's status codes. */
const invalidArgument = 3;
/** INTERNAL */
const internal = 13;
/** UNAVAILABLE: the client may try again. */
const unavailable = 14;

type Call = ServerDuplexStream<Buffer, Buffer>;

/** What all streams of one method have in common. */
export interface SessionKind<Request extends AnyRequest, Response extends AnyResponse> {
  readonly form: ProtocolForm<Request, Response>;
  /** Decides by the first request what the stream is served; `StreamRefusal`: nothing. */
  readonly admit: (call: Call, first: Request) => StreamScope | Promise<StreamScope>;
  readonly observer: DiscoveryObserver;
  /** Holds the streams that are open. */
  readonly sessions: Set<Session>;
  /** Shared with other streams: requests are taken in turns. Absent: each as it comes. */
  readonly turns?: Turns | undefined;
}

/**
 * Carries one gRPC stream: requests in, responses out. Changes are sent once a turn of the event loop, and while the
 * client does not read they are kept back, so that it gets the newest state and memory stays flat.
 */
export function serveSession<Request extends AnyRequest, Response extends AnyResponse>(
  call: Call,
  kind: SessionKind<Request, Response>,
): void {
  kind.sessions.add(new CarriedStream(call, kind));
}

class CarriedStream<Request extends AnyRequest, Response extends AnyResponse> implements Session {
  readonly #call: Call;
  readonly #kind: SessionKind<Request, Response>;
  readonly #intake: RequestIntake;
  #scope: StreamScope | undefined;
  #streams: ScopedStreams<Request, Response> | undefined;
  #unsubscribe: () => void = () => undefined;
  #stepTimer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #isOpen = true;
  /** Responses that the transport has not taken yet. */
  #unsent = 0;
  #unansweredSinceMs: number | undefined;
  #isStale = false;
  #nodeId = '';

  constructor(call: Call, kind: SessionKind<Request, Response>) {
    this.#call = call;
    this.#kind = kind;
    this.#intake = new RequestIntake(call, kind.turns);
    kind.observer.opened?.();
    this.#listen();
  }

  get unansweredSinceMs(): number | undefined {
    return this.#unansweredSinceMs;
  }

  goStale(): void {
    if (this.#isStale || !this.#isOpen) return;
    this.#isStale = true;
    this.#kind.observer.wentStale?.();
  }

  recycle(): void {
    this.end(unavailable, 'no answer to a response');
  }

  end(code: number, details: string): void {
    this.#close();
    // The way in which a handler of this gRPC library ends a stream with a status.
    this.#call.emit('error', { code, details });
  }

  #listen(): void {
    const call = this.#call;
    const close = (): void => this.#close();
    call.on('data', (bytes: Buffer) => this.#intake.take(() => this.#guard(() => this.#take(bytes))));
    call.on('end', () => {
      close();
      call.end();
    });
    call.on('cancelled', close);
    call.on('error', close);
    call.on('close', () => {
      close();
      for (; this.#unsent > 0; this.#unsent -= 1) this.#kind.observer.pushFailed?.();
    });
  }

  #guard(act: () => void): void {
    if (!this.#isOpen) return;
    try {
      act();
    } catch (error) {
      this.#fail(error);
    }
  }

  get #origin(): StreamOrigin {
    return { peer: this.#call.getPeer(), nodeId: this.#nodeId };
  }

  #fail(error: unknown, isOurs = false): void {
    if (!this.#isOpen) return;
    if (error instanceof StreamRefusal) {
      this.#kind.observer.failed?.(error, this.#origin);
      this.end(error.code, error.message);
      return;
    }
    const what = isOurs ? 'a stream cannot be admitted' : 'a request of the discovery protocol is not understood';
    this.#kind.observer.failed?.(new Error(what, { cause: error }), this.#origin);
    if (isOurs) this.end(internal, 'internal error');
    else this.end(invalidArgument, 'request not understood');
  }

  #take(bytes: Buffer): void {
    const request = this.#kind.form.codec.decode(bytes);
    this.#nodeId ||= request.nodeId;
    this.#waitNoMore();
    if (this.#streams === undefined) this.#admit(request);
    else {
      this.#receive(request, this.#streams);
      this.#intake.holdFor(this.#scope?.pace?.(bytes.length, this.#streams.isAnswer) ?? 0);
    }
  }

  #admit(first: Request): void {
    const admitted = this.#kind.admit(this.#call, first);
    if (!(admitted instanceof Promise)) {
      this.#begin(admitted, first);
      return;
    }
    this.#intake.hold();
    admitted.then(
      (scope) => {
        const begin = (): void => {
          if (!this.#isOpen) scope.closed?.();
          this.#guard(() => this.#begin(scope, first));
          this.#intake.release();
        };
        const { turns } = this.#kind;
        if (turns === undefined) begin();
        else turns.take(begin);
      },
      (error) => this.#fail(error, true),
    );
  }

  #begin(scope: StreamScope, first: Request): void {
    this.#scope = scope;
    const streams = new ScopedStreams(this.#kind.form, scope, this.#kind.observer);
    this.#streams = streams;
    this.#unsubscribe = scope.onChange(() => this.#schedule());
    this.#receive(first, streams);
  }

  #receive(request: Request, streams: ScopedStreams<Request, Response>): void {
    const response = streams.receive(request);
    if (response !== undefined) this.#send(response);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#isOpen) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#guard(() => this.#flush());
    });
  }

  #flush(): void {
    clearTimeout(this.#stepTimer);
    // What is on its way is waited for: a client that does not read gets the newest state once it reads again.
    if (this.#unsent > 0 || this.#streams === undefined) return;
    const next = this.#streams.next();
    if (next.response !== undefined) {
      this.#send(next.response);
      return;
    }
    if (next.waitMs !== undefined) this.#stepTimer = setTimeout(() => this.#schedule(), next.waitMs).unref();
    if (this.#streams.isUnanswered || (next.waitMs !== undefined && !next.isLingering)) return;
    this.#streams.tellComplete();
    this.#scope?.settled?.();
  }

  #send(response: Response): void {
    const { form, observer } = this.#kind;
    this.#unsent += 1;
    this.#unansweredSinceMs ??= performance.now();
    const sent = (error?: Error | null): void => {
      if (error !== undefined && error !== null) return;
      this.#unsent -= 1;
      this.#schedule();
    };
    this.#call.write(form.codec.encode(response), sent);
    observer.pushed?.({ typeUrl: response.typeUrl, version: form.versionOf(response) });
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#stepTimer);
    this.#intake.close();
    this.#waitNoMore();
    this.#unsubscribe();
    this.#kind.sessions.delete(this);
    this.#scope?.closed?.();
    this.#kind.observer.closed?.();
  }

  /** The client has answered, or cannot any more. */
  #waitNoMore(): void {
    this.#unansweredSinceMs = undefined;
    if (this.#isStale) this.#kind.observer.noLongerStale?.();
    this.#isStale = false;
  }
}
