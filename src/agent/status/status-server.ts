import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import type { RefusalOf } from './action-callers.ts';
import type { AgentActions } from './actions.ts';
import type { AppProbes } from './app-probes.ts';
import { Connections, callerOf, thisPod } from './connections.ts';
import type { PodAddresses } from './dial.ts';
import { FaultMemory } from './fault-memory.ts';
import { FirstRequest } from './first-request.ts';
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
  /** Where probes find the application now. */
  readonly addresses: () => PodAddresses;
  readonly metrics: MergedMetrics;
  readonly actions: AgentActions;
  /** Of callers on loopback that ask for an action. */
  readonly refusalOf: RefusalOf;
  readonly log: Log;
}

/** Answers of each kind that may be in the making: a merged answer may hold 20 MiB, a probe a connection, an action the kernel's table. */
const maxAtOnce = { metrics: 4, probe: 48, action: 4 };
/** Merged answers that one address outside this pod may have in the making. */
const maxMetricsPerCaller = 2;
/** Until the reader has taken the whole of a merged answer. */
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
  const http = createHttpServer({ maxHeaderSize: 8_192 }, (request, response) => {
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
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    if (!connections.mayOpen(socket)) {
      socket.destroy();
      return;
    }
    const first = new FirstRequest(socket, () => http.emit('connection', first));
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

class StatusDesk {
  readonly #options: StatusOptions;
  readonly #busy = { metrics: 0, probe: 0, action: 0 };
  /** Callers whose merged answers are in the making, once for each. */
  readonly #scrapers: string[] = [];
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
      case 'quit':
        return this.#counted('action', response, () => this.#act(route.ask, request, response));
      case 'probe':
        return this.#counted('probe', response, () => this.#probe(route.path, request, response));
      case 'metrics':
        return this.#metrics(route.query, request, response);
    }
  }

  async #metrics(query: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const caller = callerOf(request.socket);
    if (caller !== thisPod && this.#scrapers.filter((other) => other === caller).length >= maxMetricsPerCaller) {
      refuse(response);
      return;
    }
    await this.#counted('metrics', response, async () => {
      this.#scrapers.push(caller);
      // Asked for first: a scraper that loses patience goes while the answer is made.
      const closed = new Promise((resolve) => response.once('close', resolve));
      try {
        const body = await this.#options.metrics.text({ query, headers: request.headers });
        const timer = setTimeout(() => request.socket.destroy(), readTimeoutMs);
        response.writeHead(200, { 'content-type': metricsType, 'content-length': body.length }).end(body);
        await closed;
        clearTimeout(timer);
      } finally {
        this.#scrapers.splice(this.#scrapers.indexOf(caller), 1);
      }
    });
  }

  async #ready(response: ServerResponse): Promise<void> {
    const ready = await this.#options.readiness.check();
    const reason = ready.isReady ? undefined : ready.reason;
    if (reason !== this.#reason && reason !== undefined) this.#options.log.warn('not ready', { reason });
    if (this.#reason !== undefined && reason === undefined) this.#options.log.info('ready');
    this.#reason = reason;
    send(response, ready.isReady ? 200 : 503, reason ?? '');
  }

  async #act(action: 'drain' | 'quit', request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { actions, log, refusalOf } = this.#options;
    const reason = await refusalOf(request.socket);
    if (this.#faults.isNews(action, reason) && reason !== undefined)
      log.warn('an action was asked for and refused', { action, reason });
    if (reason !== undefined) send(response, 403, `only programs of this pod may ask for this: ${reason}`);
    else if (action === 'drain') await this.#drain(response);
    else {
      // Once it is told: the end of the agent is also the end of this connection.
      response.once('close', () => actions.quit());
      send(response, 200, 'OK');
    }
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
    const { status, body, failure } = await runProbe(probe, request.headers, addresses());
    if (this.#faults.isNews(path, failure)) {
      if (failure === undefined) log.info('a probe of the application is answered again', { path });
      else log.warn('a probe of the application failed', { path, reason: failure });
    }
    send(response, status, body);
  }

  /** 503 at once where too many of a kind are under way: the answers that are in the making stay possible. */
  async #counted(kind: keyof typeof maxAtOnce, response: ServerResponse, answer: () => Promise<void>): Promise<void> {
    if (this.#busy[kind] >= maxAtOnce[kind]) {
      refuse(response);
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

function refuse(response: ServerResponse): void {
  send(response, 503, 'too many requests of this kind at once', { 'retry-after': '1' });
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
