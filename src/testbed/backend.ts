import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { toBothVersions } from './both-versions.ts';
import type { BackendPort } from './floor-plan.ts';
import { readRequest } from './reading.ts';

/**
 * The application behind a sidecar, as a program of its own: `backend.ts PORTS`, PORTS being a JSON list of
 * {@link BackendPort}. Prints `listening` when all ports are open.
 */
const ports = JSON.parse(process.argv[2] ?? '[]') as readonly BackendPort[];
const servers = {
  http: () => httpServer(answer),
  resource: () => httpServer(tell),
  echo: echoServer,
  greeting: greetingServer,
};
await Promise.all(
  ports.map(({ port, role, address }) => new Promise<void>((done) => servers[role]().listen(port, address, done))),
);
process.stdout.write('listening\n');

/** HTTP/1.1 and HTTP/2 on one port. */
function httpServer(listener: typeof answer): Server {
  // As lenient as applications are: what is refused here would hide what the proxy lets through.
  // An idle connection stays open: a request that a proxy sends as it closes would be lost.
  const http1 = createHttpServer({ insecureHTTPParser: true, keepAliveTimeout: 0 }, listener);
  // A status of its own: 400 is the proxy's word for the same.
  http1.on('clientError', (_, socket) =>
    socket.end('HTTP/1.1 422 Unreadable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  );
  const http2 = createHttp2Server({}, listener);
  return tolerant(toBothVersions(http1, http2));
}

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

/** `/ip` tells the caller's address, `/headers` what the application was sent; all else is 404. */
function answer(request: AnyRequest, response: AnyResponse): void {
  const [path] = (request.url ?? '').split('?');
  const body =
    path === '/ip'
      ? { origin: request.socket.remoteAddress }
      : path === '/headers'
        ? { headers: request.headers, method: request.method, version: request.httpVersion }
        : undefined;
  send(request, response, body === undefined ? 404 : 200, body ?? { error: 'not found' });
}

/** Answers everything with 200 and what it was asked for, in its own understanding, and on which port. */
function tell(request: AnyRequest, response: AnyResponse): void {
  const authority = request.headers[':authority'] ?? request.headers.host ?? '';
  const reading = readRequest(request.method ?? '', request.url ?? '', String(authority), request.rawHeaders);
  send(request, response, 200, { ...reading, port: request.socket.localPort });
}

function send(request: AnyRequest, response: AnyResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body, undefined, 2)}\n`;
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
  request.resume();
}

function echoServer(): Server {
  return tolerant((socket) => socket.pipe(socket));
}

function greetingServer(): Server {
  return tolerant((socket) => {
    socket.write('hello\n');
    socket.pipe(socket);
  });
}

/** A client that resets its connection must not end the application. */
function tolerant(serve: (socket: Socket) => void): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
}
