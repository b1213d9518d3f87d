import type { ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { Turns } from '../../xds/turns.ts';
import { listenersOf } from './listeners.ts';

/** So long streams are begun before all else of the process has its turn. */
const longestMs = 5;

type Begin = (this: unknown, stream: ServerHttp2Stream, ...rest: readonly unknown[]) => void;

/**
 * Makes a bound server begin the requests of all its connections in turns. Node reads a thousand connections one after the
 * other before it looks at a timer, and beginning a request takes more time than reading it. A client that breaks off before
 * its turn costs nothing more. What is to happen at once when a request comes has to listen after this.
 */
export function beginInTurns(server: Server, turns = new Turns(longestMs)): void {
  for (const listener of listenersOf(server)) {
    const begins = listener.listeners('stream') as Begin[];
    listener.removeAllListeners('stream');
    listener.on('stream', (stream, ...rest) => {
      // Without a listener it would end the process.
      stream.on('error', ignore);
      turns.take(() => {
        if (stream.destroyed || stream.aborted) return;
        stream.off('error', ignore);
        for (const begin of begins) begin.call(listener, stream, ...rest);
      });
    });
  }
}

function ignore(): void {}
