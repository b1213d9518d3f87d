import type { Metadata, Server, ServerInterceptor } from '@grpc/grpc-js';
import type { ReadClock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { aggregatedService } from '../../xds/aggregated-service.ts';
import type { DiscoveryObserver } from '../../xds/observer.ts';
import { addDiscoveryService } from '../../xds/service.ts';
import type { Session } from '../../xds/session.ts';
import { Turns } from '../../xds/turns.ts';
import { type Caller, identityOf } from '../auth/caller.ts';
import { authenticateCertificate } from '../auth/client-certificate.ts';
import type { ControlMetrics } from '../server/metrics.ts';
import type { Admission } from './admission.ts';
import { admitStreams } from './admit-streams.ts';
import { Arrivals } from './arrivals.ts';
import { RefusalLog, reasonOf } from './refusal-log.ts';

/** Configuration streams as a service of a gRPC server. */
export interface StreamService {
  /** Authenticates the clients; a request has at most so many bytes. */
  admitStreams(maxMessageBytes: number): ServerInterceptor;
  /** Adds the service to a gRPC server that does not serve yet, and that asks `admitStreams` first. */
  addTo(server: Server): void;
}

interface StreamServiceParts {
  readonly admission: Admission;
  readonly trustDomain: string;
  readonly log: PlainLog;
  readonly clock: ReadClock;
  readonly metrics: ControlMetrics;
  /** Holds the streams that are open. */
  readonly sessions: Set<Session>;
}

/** First requests that are read at the same time have at most so many bytes together, and are at least so many. */
const bytesArriving = 128 * 1_048_576;
const fewestArrivals = 8;

/** Serves configuration to whom `admission` lets in, in turns between all streams. */
export function streamService(parts: StreamServiceParts): StreamService {
  const { admission, trustDomain, log, clock, metrics, sessions } = parts;
  const refusals = new RefusalLog(log);
  const callers = new WeakMap<Metadata, Caller>();
  const turns = new Turns();
  const observer: DiscoveryObserver = {
    ...metrics.streams,
    pushed: ({ typeUrl }) => metrics.countPush(typeUrl),
    refused: (refusal) => {
      metrics.countReject(refusal.typeUrl);
      refusals.tellResponse(refusal);
    },
    failed: (error, from) => refusals.tell(reasonOf(error), from),
  };
  return {
    admitStreams: (maxMessageBytes) =>
      admitStreams({
        authenticate: (raw) =>
          raw === undefined ? { problem: 'no client certificate' } : authenticateCertificate(raw, trustDomain, clock()),
        identityOf: (caller) => identityOf(caller, trustDomain),
        callers,
        inTurn: (act) => void turns.take(act),
        arrivals: new Arrivals(Math.max(fewestArrivals, Math.floor(bytesArriving / maxMessageBytes))),
        refused: ({ reason, ...from }) => refusals.tell(reason, from),
      }),
    addTo: (server) => {
      const service = aggregatedService(async (call, first) => {
        const caller = callers.get(call.metadata);
        callers.delete(call.metadata);
        const authentication = caller === undefined ? { problem: 'not admitted' } : { caller };
        return admission.admit({ authentication, peer: call.getPeer() }, first);
      });
      addDiscoveryService(server, service, observer, sessions, turns);
    },
  };
}
