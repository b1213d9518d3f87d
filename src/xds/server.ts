import { unlink } from 'node:fs/promises';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { bindFailure } from '../lib/bind-failure.ts';
import type { DiscoveryObserver } from './observer.ts';
import { recycleStale } from './recycle.ts';
import { addDiscoveryService, type DiscoveryService } from './service.ts';
import type { Session } from './session.ts';
import { prepareSocketPath } from './socket.ts';

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
  for (const service of services) addDiscoveryService(server, service, counting, sessions);
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
      else reject(bindFailure(error));
    });
  });
}
