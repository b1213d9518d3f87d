import { connect, createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';

export interface CallOptions {
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a client of gRPC sees of the end of its call. */
export interface CallAnswer {
  /** `grpc-status`: 0 is OK, 12 UNIMPLEMENTED, 14 UNAVAILABLE. */
  readonly code: number;
  /** Path and headers as the application got them; undefined when none answered. */
  readonly seen: IncomingHttpHeaders | undefined;
}

/** An application on a socket that answers every call with OK, and says in a header what it got. */
export function startCallee(path: string): Promise<Http2Server> {
  const server = createServer();
  server.on('stream', (stream, headers) => {
    stream.resume();
    const seen = encodeURIComponent(JSON.stringify(headers));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'x-seen': seen }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end();
  });
  return new Promise((resolve) => {
    server.listen(path, () => resolve(server));
  });
}

/** One call with an empty message, on a connection of its own. */
export function askCall(
  socketPath: string,
  path: string,
  { host = 'calls.example', headers = {} }: CallOptions = {},
): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${host}`, { createConnection: () => connectSocket(socketPath) });
    session.on('error', reject);
    const fields = { 'content-type': 'application/grpc', te: 'trailers', ...headers };
    const stream = session.request({ ':method': 'POST', ':path': path, ...fields });
    let found: IncomingHttpHeaders = {};
    stream.on('response', (answer) => {
      found = { ...found, ...answer };
    });
    stream.on('trailers', (trailers) => {
      found = { ...found, ...trailers };
    });
    stream.on('error', reject);
    stream.on('close', () => {
      session.close();
      const seen = found['x-seen'];
      const code = Number(found['grpc-status'] ?? Number.NaN);
      resolve({ code, seen: seen === undefined ? undefined : JSON.parse(decodeURIComponent(String(seen))) });
    });
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
}
