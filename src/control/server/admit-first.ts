import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { createCertificate } from '../../identity/ca-protocol.ts';
import type { Credentials } from '../auth/authenticate.ts';
import { type AdmitRequest, type AdmittedRequest, Refusal } from '../ca/certificate-service.ts';
import { shownCertificate } from './shown-certificate.ts';

export interface AdmitFirstOptions {
  readonly admit: AdmitRequest;
  /** Where the handler finds the request, by the headers that it is called with. */
  readonly requests: WeakMap<Metadata, AdmittedRequest>;
  readonly maxMessageBytes: number;
  /** How long a request may take to come; 10 s by default. */
  readonly arrivalMs?: number;
}

/**
 * Authenticates the caller of a signing request by the headers, and reads the message only afterwards and for a limited time.
 * Callers without a right, and callers that send nothing, take none of our memory.
 */
export function admitFirst({
  admit,
  requests,
  maxMessageBytes,
  arrivalMs = 10_000,
}: AdmitFirstOptions): ServerInterceptor {
  return (method, call) => {
    if (method.path !== createCertificate.path) return new ServerInterceptingCall(call);
    let request: AdmittedRequest | undefined;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata(async (metadata, next) => {
        const shown = shownCertificate(call);
        if (shown === 'lost') return;
        try {
          request = await admit(credentialsOf(metadata, call.getPeer(), shown.certificate));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          call.sendStatus({ code: error.code, details: error.message, metadata: null });
          return;
        }
        if (isOver) {
          request.broken(status.CANCELLED, 'the caller has gone');
          return;
        }
        timer = setTimeout(() => {
          request?.broken(status.DEADLINE_EXCEEDED, `the request did not come within ${arrivalMs} ms`);
          call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: 'the request did not come', metadata: null });
        }, arrivalMs);
        requests.set(metadata, request);
        next(metadata);
      })
      .withOnReceiveHalfClose((next) => {
        clearTimeout(timer);
        next();
      })
      .withOnCancel(() => {
        isOver = true;
        clearTimeout(timer);
        const reason = `the request did not come whole, or is larger than ${maxMessageBytes} bytes`;
        request?.broken(status.RESOURCE_EXHAUSTED, reason);
      })
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

function credentialsOf(headers: Metadata, peer: string, certificate: Buffer | undefined): Credentials {
  const values = (name: string): readonly string[] => headers.get(name).map(String);
  return {
    peer,
    certificate,
    authorization: values('authorization'),
    clusterIds: values('clusterid'),
  };
}
