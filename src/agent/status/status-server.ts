import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import type { Readiness } from './readiness.ts';

/** The status port, serving. */
export interface StatusServer {
  close(): Promise<void>;
}

/**
 * Serves `GET /healthz/ready`: 200 or 503, without a body; and `GET /stats/prometheus` where there are metrics. Paths are
 * compared as they came: Envoy forwards here over loopback by prefix, and what is cleaned up first could reach more than
 * was meant. Bound to all addresses, because the orchestrator asks from outside.
 */
export async function startStatusServer(
  port: number,
  readiness: Readiness,
  log: Log,
  metrics?: () => Promise<string>,
): Promise<StatusServer> {
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: 8_192, keepAliveTimeout: 5_000 },
    (request, response) => void answer(request, response, { readiness, log, metrics }),
  );
  server.maxConnections = 128;
  await listen(server, port);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Sources {
  readonly readiness: Readiness;
  readonly log: Log;
  readonly metrics: (() => Promise<string>) | undefined;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { readiness, log, metrics }: Sources,
): Promise<void> {
  request.resume();
  const asksMetrics = request.url === '/stats/prometheus' && metrics !== undefined;
  if (request.url !== '/healthz/ready' && !asksMetrics) {
    response.writeHead(404).end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  if (asksMetrics) {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(await metrics());
    return;
  }
  const ready = await readiness.check();
  if (!ready.isReady) log.debug('not ready', { reason: ready.reason });
  response.writeHead(ready.isReady ? 200 : 503).end();
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
