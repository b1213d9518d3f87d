import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer } from 'node:net';
import { toBothVersions } from '../../src/testbed/both-versions.ts';

/**
 * The application under load, as a program: `application.ts PORT`. HTTP/1.1 and HTTP/2 without TLS on one port:
 * `/delay/MS` answers after so long, `/stream/LINES` with a line each 50 ms, everything else at once. It never closes
 * a connection by itself: what is dropped is dropped by a proxy. Its queue of connections is as long as the kernel
 * allows: from Node's 511 the kernel drops the rest of a burst, and the proxy tries again after a second. Prints
 * `listening`.
 */
const port = Number(process.argv[2]);

/** What both versions of HTTP have in common. */
interface Reply {
  write(text: string): unknown;
  end(): unknown;
}

function answer(request: { readonly url?: string | undefined }, reply: Reply): void {
  const [, kind, amount] = (request.url ?? '').split('/');
  if (kind === 'delay') setTimeout(() => sendLines(1, reply), Number(amount));
  else if (kind === 'stream') sendLines(Number(amount), reply);
  else sendLines(1, reply);
}

function sendLines(left: number, reply: Reply): void {
  reply.write('line\n');
  if (left <= 1) reply.end();
  else setTimeout(() => sendLines(left - 1, reply), 50);
}

const http1 = createHttpServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, answer);
const http2 = createHttp2Server({}, answer);
const toEither = toBothVersions(http1, http2);
createServer((socket) => {
  socket.on('error', () => socket.destroy());
  toEither(socket);
}).listen({ port, host: '::', backlog: 65_535 }, () => process.stdout.write('listening\n'));
