import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './listeners.ts';

const pieceBytes = 65_536;

/**
 * Makes the streams of a bound server write large messages in pieces, each after the previous one was sent. A TLS connection
 * of Node keeps a buffer as large as the longest text that it ever encrypted at once, as long as it is open. With Envoy's
 * windows that was the whole first configuration, megabytes for each proxy. Encrypting all of it at once also delayed all
 * other connections.
 */
export function writeInPieces(server: Server): void {
  for (const listener of listenersOf(server)) {
    // Before the handler of a request, which may write at once.
    listener.prependListener('stream', (stream) => {
      const write = stream._write.bind(stream);
      stream._write = (chunk: Buffer, encoding, done) => {
        let at = 0;
        const next = (error?: Error | null): void => {
          if ((error !== undefined && error !== null) || at >= chunk.length) {
            done(error);
            return;
          }
          const piece = chunk.subarray(at, at + pieceBytes);
          at += piece.length;
          write(piece, encoding, next);
        };
        next();
      };
      // Several messages that wait are written one after the other.
      Object.assign(stream, { _writev: null });
    });
  }
}
