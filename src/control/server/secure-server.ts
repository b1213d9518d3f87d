import {
  experimental,
  logVerbosity,
  type Metadata,
  Server,
  type ServerInterceptor,
  type ServerUnaryCall,
  type sendUnaryData,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import { type CertificateResponse, createCertificate, createCertificateMethod } from '../../identity/ca-protocol.ts';
import { bindFailure } from '../../lib/bind-failure.ts';
import type { Turns } from '../../xds/turns.ts';
import { type AdmitRequest, type AdmittedRequest, Refusal } from '../ca/certificate-service.ts';
import { ControlError } from '../control-error.ts';
import { type Address, formatAddress } from './address.ts';
import { admitFirst } from './admit-first.ts';
import { beginInTurns } from './begin-in-turns.ts';
import type { CertificateSource } from './certificate-provider.ts';
import {
  type ConnectionLimits,
  type ConnectionRefusal,
  limitConnections,
  usualConnectionLimits,
} from './connection-limits.ts';
import { writeInPieces } from './write-in-pieces.ts';

export interface SecureServerOptions {
  readonly address: Address;
  readonly certificates: CertificateSource;
  /** Undefined: there is no certificate service here. */
  readonly admit: AdmitRequest | undefined;
  /** Adds further services to the server. */
  readonly addServices?: ((server: Server) => void) | undefined;
  /** Decides who may call the further services. */
  readonly admitStreams?: ServerInterceptor | undefined;
  /** MESH_GPRC_MAXRECVMSGSIZE, bytes. */
  readonly maxMessageBytes: number;
  /** MESH_GPRC_MAXSTREAMS, of one connection. */
  readonly maxStreams: number;
  /** `usualConnectionLimits` where there are none. */
  readonly connections?: ConnectionLimits | undefined;
  /** In which requests are begun; of this server alone when absent. */
  readonly turns?: Turns | undefined;
  /** Hears of each connection that is closed because of them. */
  readonly refused: (reason: ConnectionRefusal) => void;
}

/** The TLS listener, serving. */
export interface SecureServer {
  readonly port: number;
  /** Asks the clients of all connections that are open to make new ones, whose certificates are looked at anew. */
  renewConnections(): void;
  /** Lets requests end that have begun, for at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Serves gRPC over TLS 1.2 or later; a client certificate is requested, and verified if the client sends one. */
export async function startSecureServer(options: SecureServerOptions): Promise<SecureServer> {
  const { admit, address, certificates, maxMessageBytes, connections = usualConnectionLimits, refused } = options;
  const requests = new WeakMap<Metadata, AdmittedRequest>();
  // What the library would write there in a form of its own, it throws too.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({
    // Nobody asks for its figures, and each request is counted in several places for them.
    'grpc.enable_channelz': 0,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_concurrent_streams': options.maxStreams,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc.max_connection_idle_ms': connections.idleMs,
    'grpc.max_connection_age_ms': connections.ageMs,
    'grpc.max_connection_age_grace_ms': connections.drainMs,
    interceptors: interceptorsOf(admit && admitFirst({ admit, requests, maxMessageBytes }), options.admitStreams),
  });
  if (admit !== undefined) {
    // The handler reads the bytes itself: what cannot be read is a request too, with its line in the audit.
    const definition = { ...createCertificate, requestDeserialize: (bytes: Buffer) => bytes };
    server.addService(
      { [createCertificateMethod]: definition },
      { [createCertificateMethod]: (call: Call, done: Done) => void handle(requests.get(call.metadata), call, done) },
    );
  }
  options.addServices?.(server);
  // Without an authority nobody's certificate would be good: none is asked for.
  const roots = admit === undefined ? null : certificates;
  const credentials = experimental.createCertificateProviderServerCredentials(certificates, roots, false);
  // An empty host is every address: `::` serves IPv4 too.
  const targetOf = (port: number): string => formatAddress({ host: address.host || '::', port });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(targetOf(address.port), credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else
        reject(
          new ControlError('listen-failed', `cannot serve ${formatAddress(address)}`, { cause: bindFailure(error) }),
        );
    });
  });
  limitConnections(server, connections, refused);
  beginInTurns(server, options.turns);
  writeInPieces(server);
  return {
    port,
    renewConnections: () => server.drain(targetOf(port), connections.drainMs),
    close: (graceMs) => close(server, graceMs),
  };
}

/** One interceptor that chooses by the method: two interceptors for each call would cost memory. */
function interceptorsOf(
  signing: ServerInterceptor | undefined,
  streams: ServerInterceptor | undefined,
): ServerInterceptor[] {
  if (signing === undefined || streams === undefined) return [signing ?? streams].filter((it) => it !== undefined);
  return [(method, call) => (method.path === createCertificate.path ? signing : streams)(method, call)];
}

type Call = ServerUnaryCall<Buffer, CertificateResponse>;
type Done = sendUnaryData<CertificateResponse>;

async function handle(request: AdmittedRequest | undefined, call: Call, done: Done): Promise<void> {
  try {
    if (request === undefined) throw new Refusal(status.INTERNAL, 'internal error');
    done(null, await request.answer(call.request));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    done({ code: error.code, details: error.message });
  }
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      server.forceShutdown();
      resolve();
    });
  });
}
