import { createServer, type Server } from 'node:http';
import { ControlError } from '../control-error.ts';
import type { Address } from './address.ts';
import { formatAddress } from './address.ts';
import { requestLimits } from './request-limits.ts';

/** The monitoring port, serving. */
export interface MonitoringServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Sources of the monitoring port's answers. */
export interface MonitoringSources {
  readonly metrics: () => Promise<string>;
  /** Why the program is not ready to serve; undefined when it is. */
  readonly notReady: () => string | undefined;
}

/** Serves `GET /metrics`, `/healthz` (it runs) and `/healthz/ready` (it serves). */
export async function startMonitoring(address: Address, sources: MonitoringSources): Promise<MonitoringServer> {
  const server = createServer(
    { ...requestLimits(10_000), maxHeaderSize: 8_192, keepAliveTimeout: 5_000 },
    async (request, response) => {
      request.resume();
      const answer = await answerTo(request.url ?? '', sources);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const { status, text } = isRead || answer.status === 404 ? answer : { status: 405, text: '' };
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
    },
  );
  server.maxConnections = 128;
  await listen(server, address);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerTo(
  path: string,
  { metrics, notReady }: MonitoringSources,
): Promise<{ readonly status: number; readonly text: string }> {
  if (path === '/metrics') return { status: 200, text: await metrics() };
  if (path === '/healthz') return { status: 200, text: '' };
  if (path !== '/healthz/ready') return { status: 404, text: '' };
  const reason = notReady();
  return reason === undefined ? { status: 200, text: '' } : { status: 503, text: `${reason}\n` };
}

function listen(server: Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new ControlError('listen-failed', `cannot serve ${formatAddress(address)}`, { cause }));
    });
    // Without a host Node takes `::`, which serves IPv4 too, and `0.0.0.0` where the kernel has no IPv6.
    if (address.host === '') server.listen(address.port, resolve);
    else server.listen(address.port, address.host, resolve);
  });
}
