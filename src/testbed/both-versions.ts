import type { Server as HttpServer } from 'node:http';
import type { Http2Server } from 'node:http2';
import type { Socket } from 'node:net';

/** Hands connections without TLS to one of both servers: a connection's first bytes tell (RFC 9113, section 3.4). */
export function toBothVersions(http1: HttpServer, http2: Http2Server): (socket: Socket) => void {
  return (socket) => {
    // Not `data`: the HTTP/2 server takes over the handle, which must not be flowing yet.
    socket.once('readable', () => {
      const start: Buffer | null = socket.read();
      if (start === null) return;
      socket.unshift(start);
      // Not `PRI` alone, which may be the method of an attack.
      const isHttp2 = start.subarray(0, 6).toString('latin1') === 'PRI * ';
      (isHttp2 ? http2 : http1).emit('connection', socket);
      if (!isHttp2) socket.resume();
    });
  };
}
