import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import type { Authentication, Caller } from '../auth/caller.ts';
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
  const { authenticate, identityOf, callers, arrivals, inTurn, refused, arrivalMs = 10_000 } = options;
  return (_method, call) => {
    let end: () => void = () => undefined;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const arrived = (): void => {
      clearTimeout(timer);
      end();
    };
    const refuse = (
      code: status,
      details: string,
      why: { readonly reason?: string; readonly identity?: string },
    ): void => {
      refused({ reason: details, ...why, peer: call.getPeer() });
      call.sendStatus({ code, details, metadata: null });
    };
    const admit = async (metadata: Metadata, next: (metadata: Metadata) => void): Promise<void> => {
      if (isOver) return;
      const { caller, problem } = authenticate(call.getAuthContext().sslPeerCertificate?.raw);
      if (caller === undefined) {
        refuse(status.UNAUTHENTICATED, 'a client certificate of the mesh is needed', { reason: problem });
        return;
      }
      const identity = identityOf(caller);
      const turn = await arrivals.turn(identity);
      if (turn === undefined) {
        refuse(status.RESOURCE_EXHAUSTED, 'too many new streams; try again later', { identity });
        return;
      }
      if (isOver) {
        turn();
        return;
      }
      end = turn;
      timer = setTimeout(() => {
        arrived();
        refuse(status.DEADLINE_EXCEEDED, `the first request did not come within ${arrivalMs} ms`, { identity });
      }, arrivalMs);
      callers.set(metadata, caller);
      next(metadata);
    };
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => inTurn(() => void admit(metadata, next)))
      .withOnReceiveMessage((message, next) => {
        arrived();
        next(message);
      })
      .withOnReceiveHalfClose((next) => {
        arrived();
        next();
      })
      .withOnCancel(() => {
        isOver = true;
        arrived();
      })
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}
