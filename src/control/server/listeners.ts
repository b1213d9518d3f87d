import type { Http2SecureServer } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * The HTTP/2 servers of a bound gRPC server. grpc-js offers no other access to them, and its connection injector can't drain
 * some connections and keep others.
 */
export function listenersOf(server: Server): readonly Http2SecureServer[] {
  const { http2Servers } = server as unknown as { readonly http2Servers?: ReadonlyMap<Http2SecureServer, unknown> };
  const listeners = [...(http2Servers?.keys() ?? [])];
  if (listeners.length === 0) throw new Error('this version of grpc-js keeps its listeners elsewhere');
  return listeners;
}
