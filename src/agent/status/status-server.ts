import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { AgentError } from '../agent-error.ts';
import { Connections } from './connections.ts';
import { FirstRequest } from './first-request.ts';
import { StatusDesk, type StatusParts } from './status-desk.ts';

/** The status port, serving. */
export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface StatusOptions extends StatusParts {
  /** 0 takes a free one. */
  readonly port: number;
}

/** A whole answer, the reader's slowness included. */
const answerTimeoutMs = 70_000;

/**
 * Serves readiness, the application's probes, merged metrics, and to programs of this pod `POST /drain` and
 * `POST /quitquitquit`. Bound to all addresses, because the orchestrator asks from outside; so whatever a caller holds, time,
 * bytes or connections, is bounded.
 */
export async function startStatusServer(options: StatusOptions): Promise<StatusServer> {
  const desk = new StatusDesk(options);
  const connections = new Connections();
  let http: HttpServer | undefined;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    if (!connections.mayOpen(socket)) {
      socket.destroy();
      return;
    }
    // Made when somebody asks: Node takes a while to load what it has for HTTP.
    const first = new FirstRequest(socket, () => {
      http ??= answering(desk, connections);
      http.emit('connection', first);
    });
    connections.watch(first);
  });
  await listen(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.closeAll();
      }),
  };
}

/** Answers the requests of connections that it is handed. */
function answering(desk: StatusDesk, connections: Connections): HttpServer {
  return createHttpServer({ maxHeaderSize: 8_192 }, (request, response) => {
    // One request a connection: Envoy, which forwards readiness here, would use a kept one just as it is closed.
    response.shouldKeepAlive = false;
    connections.begin(request.socket);
    const timer = setTimeout(() => request.socket.destroy(), answerTimeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      connections.end(request.socket);
    });
    void desk.answer(request, response);
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new AgentError('status-bind-failed', `cannot serve the status port ${port}`, { cause }));
    });
    // Without a host Node takes `::`, which serves IPv4 too, and `0.0.0.0` where the kernel has no IPv6.
    server.listen(port, resolve);
  });
}
