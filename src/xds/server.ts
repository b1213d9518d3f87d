import { unlink } from 'node:fs/promises';
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { deltaCodec, stateOfTheWorldCodec } from './codec.ts';
import { DeltaStream } from './delta.ts';
import type { DiscoveryObserver } from './observer.ts';
import { recycleStale } from './recycle.ts';
import type { ResourceStore } from './resource.ts';
import { type Session, serveSession } from './session.ts';
import { prepareSocketPath } from './socket.ts';
import { StateOfTheWorldStream } from './state-of-the-world.ts';

/** One gRPC service of the discovery protocol: its name, its three methods, and the resources behind it. */
export interface DiscoveryService {
  /** `envoy.service.secret.v3.SecretDiscoveryService` */
  readonly name: string;
  readonly streamMethod: string;
  readonly deltaMethod: string;
  readonly fetchMethod: string;
  readonly store: ResourceStore;
}

/** A server that runs. */
export interface DiscoveryServer {
  /** Streams that are open now. */
  readonly activeStreams: number;
  /** Responses sent, and responses that clients refused, since the start. */
  readonly counts: { readonly pushes: number; readonly refusals: number };
  /** Others may enter the socket's folder, though not connect. */
  readonly isShared: boolean;
  /** Ends all streams and removes the socket. */
  close(): Promise<void>;
}

export interface DiscoveryServerOptions {
  /** A client that leaves a response without a word for this long loses its stream; absent or 0: it keeps it. */
  readonly staleCheckMs?: number | undefined;
}

/** MESH_GPRC_MAXRECVMSGSIZE's default, bytes. */
const maxMessageBytes = 4_194_304;

/**
 * Serves discovery services on a Unix socket with mode 0600, in a folder with mode 0700 where that is ours to say. A
 * socket that a dead process left is replaced; `SocketTakenError` when a living one serves it.
 */
export async function startDiscoveryServer(
  socketPath: string,
  services: readonly DiscoveryService[],
  observer: DiscoveryObserver = {},
  { staleCheckMs }: DiscoveryServerOptions = {},
): Promise<DiscoveryServer> {
  const place = await prepareSocketPath(socketPath);
  let activeStreams = 0;
  const counts = { pushes: 0, refusals: 0 };
  const counting: DiscoveryObserver = {
    ...observer,
    opened: () => {
      activeStreams++;
      observer.opened?.();
    },
    closed: () => {
      activeStreams--;
      observer.closed?.();
    },
    pushed: (response) => {
      counts.pushes++;
      observer.pushed?.(response);
    },
    refused: (refusal) => {
      counts.refusals++;
      observer.refused?.(refusal);
    },
  };
  const sessions = new Set<Session>();
  const recycling = recycleStale(sessions, staleCheckMs ?? 0);
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  for (const service of services) server.addService(definitionOf(service), handlersOf(service, counting, sessions));
  await bind(server, place.bindPath);
  await place.finish();
  return {
    counts,
    isShared: place.isShared,
    get activeStreams() {
      return activeStreams;
    },
    close: async () => {
      recycling.close();
      server.forceShutdown();
      await unlink(socketPath).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    },
  };
}

function bind(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

function definitionOf(service: DiscoveryService): ServiceDefinition {
  const method = (name: string, isStream: boolean): MethodDefinition<Buffer, Buffer> => ({
    path: `/${service.name}/${name}`,
    requestStream: isStream,
    responseStream: isStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  });
  return {
    [service.streamMethod]: method(service.streamMethod, true),
    [service.deltaMethod]: method(service.deltaMethod, true),
    [service.fetchMethod]: method(service.fetchMethod, false),
  };
}

function handlersOf({ store, ...service }: DiscoveryService, observer: DiscoveryObserver, sessions: Set<Session>) {
  const keep = (call: ServerDuplexStream<Buffer, Buffer>, session: Session): void => {
    sessions.add(session);
    call.once('close', () => sessions.delete(session));
  };
  return {
    [service.streamMethod]: (call: ServerDuplexStream<Buffer, Buffer>): void =>
      keep(
        call,
        serveSession({
          call,
          codec: stateOfTheWorldCodec,
          stream: new StateOfTheWorldStream(store, nonces()),
          store,
          namesOf: (request) => request.resourceNames,
          versionOf: (response) => response.versionInfo,
          observer,
        }),
      ),
    [service.deltaMethod]: (call: ServerDuplexStream<Buffer, Buffer>): void =>
      keep(
        call,
        serveSession({
          call,
          codec: deltaCodec,
          stream: new DeltaStream(store, nonces()),
          store,
          namesOf: (request) => request.subscribe,
          versionOf: (response) => response.systemVersion,
          observer,
        }),
      ),
    [service.fetchMethod]: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void =>
      answer(null, fetchOnce(store, call.request)),
  };
}

/** The unary form: what is there now, an empty response when nothing is. */
function fetchOnce(store: ResourceStore, bytes: Buffer): Buffer {
  const { typeUrl } = store.type;
  const request = { ...stateOfTheWorldCodec.decode(bytes), responseNonce: '', versionInfo: '' };
  const { response } = new StateOfTheWorldStream(store, nonces()).receive(request);
  return stateOfTheWorldCodec.encode(response ?? { typeUrl, versionInfo: '', nonce: '', resources: [] });
}

/** Nonces are the stream's own, and never repeat on it. */
function nonces(): () => string {
  let count = 0;
  return () => String(++count);
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
