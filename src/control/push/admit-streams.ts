import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import type { Authentication, Caller } from '../auth/caller.ts';
import { shownCertificate } from '../server/shown-certificate.ts';
import type { Arrivals } from './arrivals.ts';

export interface AdmitStreamsOptions {
  /** The caller that a client certificate (DER) proves; undefined: the client sent none. */
  readonly authenticate: (certificate: Buffer | undefined) => Authentication;
  readonly identityOf: (caller: Caller) => string;
  /** Where the handler finds the caller, by the headers that it is called with. */
  readonly callers: WeakMap<Metadata, Caller>;
  readonly arrivals: Arrivals;
  /** Certificates are looked at in turns with other work of the process. */
  readonly inTurn: (act: () => void) => void;
  /** Called for each stream that is refused here. */
  readonly refused: (refusal: { readonly reason: string; readonly peer: string; readonly identity?: string }) => void;
  /** How long a first request may take to come once it is read; 10 s by default. */
  readonly arrivalMs?: number;
}

/**
 * Authenticates the client of a configuration stream by its certificate, and reads the first request only afterwards, when it
 * is its turn, and for a limited time. So a client that begins thousands of requests and ends none takes none of our memory.
 */
export function admitStreams(options: AdmitStreamsOptions): ServerInterceptor {
  return (_method, call) => new AdmittedCall(call, options);
}

type Call = ServerInterceptingCallInterface;
type Listener = Parameters<Call['start']>[0];

class AdmittedCall extends ServerInterceptingCall {
  readonly #call: Call;
  readonly #options: AdmitStreamsOptions;

  constructor(call: Call, options: AdmitStreamsOptions) {
    super(call);
    this.#call = call;
    this.#options = options;
  }

  override start(listener: Listener): void {
    super.start(new FirstRequest(this.#call, listener, this.#options));
  }
}

/** Stands before the listener of a call until its first request has come. */
class FirstRequest implements Listener {
  readonly #call: Call;
  readonly #listener: Listener;
  readonly #options: AdmitStreamsOptions;
  /** Ends the turn; absent before and after it. */
  #end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(call: Call, listener: Listener, options: AdmitStreamsOptions) {
    this.#call = call;
    this.#listener = listener;
    this.#options = options;
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.#options.inTurn(() => void this.#admit(metadata));
  }

  onReceiveMessage(message: unknown): void {
    this.#arrived();
    this.#listener.onReceiveMessage(message);
  }

  onReceiveHalfClose(): void {
    this.#arrived();
    this.#listener.onReceiveHalfClose();
  }

  onCancel(): void {
    this.#isOver = true;
    this.#arrived();
    this.#listener.onCancel();
  }

  async #admit(metadata: Metadata): Promise<void> {
    if (this.#isOver) return;
    const { authenticate, identityOf, arrivals, callers } = this.#options;
    const shown = shownCertificate(this.#call);
    if (shown === 'lost') return;
    const { caller, problem } = authenticate(shown.certificate);
    if (caller === undefined) {
      this.#refuse(status.UNAUTHENTICATED, 'a client certificate of the mesh is needed', { reason: problem });
      return;
    }
    const identity = identityOf(caller);
    const turn = await arrivals.turn(identity);
    if (turn === undefined) {
      this.#refuse(status.RESOURCE_EXHAUSTED, 'too many new streams; try again later', { identity });
      return;
    }
    if (this.#isOver) {
      turn();
      return;
    }
    this.#end = turn;
    this.#limit(identity);
    callers.set(metadata, caller);
    this.#listener.onReceiveMetadata(metadata);
  }

  #limit(identity: string): void {
    const { arrivalMs = 10_000 } = this.#options;
    this.#timer = setTimeout(() => {
      this.#arrived();
      this.#refuse(status.DEADLINE_EXCEEDED, `the first request did not come within ${arrivalMs} ms`, { identity });
    }, arrivalMs);
  }

  #arrived(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#end?.();
    this.#end = undefined;
  }

  #refuse(code: status, details: string, why: { readonly reason?: string; readonly identity?: string }): void {
    this.#options.refused({ reason: details, ...why, peer: this.#call.getPeer() });
    this.#call.sendStatus({ code, details, metadata: null });
  }
}
