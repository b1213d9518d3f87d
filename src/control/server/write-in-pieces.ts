import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './listeners.ts';

const pieceBytes = 65_536;

/**
 * Has the streams of a server that is bound write large messages piece by piece, each when the one before has left. A TLS
 * connection of Node keeps, as long as it is open, a buffer as large as the most that it ever encrypted at once; with the
 * windows of Envoy that was the whole first configuration, megabytes for each proxy. To encrypt all of it at once also
 * held up everybody else.
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
