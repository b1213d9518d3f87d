import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import type { AgentActions } from './actions.ts';
import type { AppProbes } from './app-probes.ts';
import { Connections } from './connections.ts';
import type { PodAddresses } from './dial.ts';
import { FaultMemory } from './fault-memory.ts';
import { type MergedMetrics, metricsType } from './merged-metrics.ts';
import { runProbe } from './probe.ts';
import type { Readiness } from './readiness.ts';
import { statusRoute } from './status-route.ts';

/** The status port, serving. */
export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface StatusOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly readiness: Readiness;
  readonly probes: AppProbes;
  /** Where probes find the application. */
  readonly addresses: PodAddresses;
  readonly metrics: MergedMetrics;
  readonly actions: AgentActions;
  readonly log: Log;
}

/** Answers of each kind that may be in the making: a merged answer may hold 20 MiB, a probe a connection. */
const maxAtOnce = { metrics: 4, probe: 48 };
/** Of a request's body, which nothing here reads. */
const maxBodyBytes = 65_536;
/** Between two parts of an answer that the reader takes. */
const readTimeoutMs = 10_000;
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
  const server = createServer(
    {
      requestTimeout: 10_000,
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 8_192,
    },
    (request, response) => {
      // One request a connection: Envoy, which forwards readiness here, would use a kept one just as it is closed.
      response.shouldKeepAlive = false;
      connections.begin(request.socket);
      response.once('close', () => connections.end(request.socket));
      bound(request, response);
      void desk.answer(request, response);
    },
  );
  connections.watch(server);
  // What follows on a connection before its answer is out never gets here: nothing would end its answer, or free its place.
  server.maxRequestsPerSocket = 1;
  server.setTimeout(answerTimeoutMs);
  await listen(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class StatusDesk {
  readonly #options: StatusOptions;
  readonly #busy = { metrics: 0, probe: 0 };
  readonly #faults = new FaultMemory();
  #reason: string | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = statusRoute(request.method ?? '', request.url ?? '', request.socket);
    if ('status' in route) {
      send(response, route.status, route.text, route.allow === undefined ? {} : { allow: route.allow });
      return;
    }
    switch (route.ask) {
      case 'ready':
        return this.#ready(response);
      case 'drain':
        return this.#drain(response);
      case 'quit':
        send(response, 200, 'OK');
        // Once it is told: the end of the agent is also the end of this connection.
        response.once('close', () => this.#options.actions.quit());
        return;
      case 'probe':
        return this.#counted('probe', response, () => this.#probe(route.path, request, response));
      case 'metrics':
        return this.#counted('metrics', response, async () => {
          // Asked for first: a scraper that loses patience goes while the answer is made.
          const closed = new Promise((resolve) => response.once('close', resolve));
          const body = await this.#options.metrics.text({ query: route.query, headers: request.headers });
          request.socket.setTimeout(readTimeoutMs);
          response.writeHead(200, { 'content-type': metricsType, 'content-length': body.length }).end(body);
          await closed;
        });
    }
  }

  async #ready(response: ServerResponse): Promise<void> {
    const ready = await this.#options.readiness.check();
    const reason = ready.isReady ? undefined : ready.reason;
    if (reason !== this.#reason && reason !== undefined) this.#options.log.warn('not ready', { reason });
    if (this.#reason !== undefined && reason === undefined) this.#options.log.info('ready');
    this.#reason = reason;
    send(response, ready.isReady ? 200 : 503, reason ?? '');
  }

  async #drain(response: ServerResponse): Promise<void> {
    try {
      await this.#options.actions.drain();
      send(response, 200, 'OK');
    } catch (error) {
      send(response, 503, `Envoy cannot be asked to drain: ${(error as Error).message}`);
    }
  }

  async #probe(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { probes, addresses, log } = this.#options;
    const probe = probes.get(path);
    if (probe === undefined) {
      send(response, 400, `no probe is known for ${JSON.stringify(path.slice(0, 200))}`);
      return;
    }
    const { status, body, failure } = await runProbe(probe, request.headers, addresses);
    if (this.#faults.isNews(path, failure)) {
      if (failure === undefined) log.info('a probe of the application is answered again', { path });
      else log.warn('a probe of the application failed', { path, reason: failure });
    }
    send(response, status, body);
  }

  /** 503 at once where too many of a kind are under way: the answers that are in the making stay possible. */
  async #counted(kind: 'metrics' | 'probe', response: ServerResponse, answer: () => Promise<void>): Promise<void> {
    if (this.#busy[kind] >= maxAtOnce[kind]) {
      send(response, 503, 'too many requests of this kind at once', { 'retry-after': '1', connection: 'close' });
      return;
    }
    this.#busy[kind]++;
    try {
      await answer();
    } finally {
      this.#busy[kind]--;
    }
  }
}

/** The type is told, so that no browser takes an application's or a caller's text for a page. */
function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' && body !== '' && status !== 200 ? `${body}\n` : body;
  const type =
    text.length === 0 ? {} : { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, { ...type, ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Reads a body away, as long as it is short, and gives up an answer that nobody fetches. */
function bound(request: IncomingMessage, response: ServerResponse): void {
  let length = 0;
  request.on('data', (part: Buffer) => {
    length += part.length;
    if (length > maxBodyBytes) request.socket.destroy();
  });
  const timer = setTimeout(() => request.socket.destroy(), answerTimeoutMs);
  response.once('close', () => clearTimeout(timer));
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
