import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Opens a stream of the discovery protocol at a Unix socket, or on a connection that is made for it, sends one request, and reads nothing: 64 kB later the window
 * of HTTP/2 is full, and the server keeps the rest. It has a connection of its own, and ends with that.
 */
export function openUnreadStream(server: string | (() => Duplex), method: string, request: Buffer): ClientHttp2Stream {
  const createConnection = typeof server === 'string' ? () => connect(server) : server;
  const session = connectHttp2('http://sds', { createConnection });
  const stream = session.request({
    ':method': 'POST',
    ':path': method,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.write(framed(request));
  return stream;
}

/** A message as gRPC frames it: not compressed, its length, its octets. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
