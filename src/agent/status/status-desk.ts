import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log/log.ts';
import type { RefusalOf } from './action-callers.ts';
import type { AgentActions } from './actions.ts';
import type { AppProbes } from './app-probe.ts';
import { callerOf, thisPod } from './connections.ts';
import type { PodAddresses } from './dial.ts';
import { FaultMemory } from './fault-memory.ts';
import { type MergedMetrics, metricsType } from './merged-metrics.ts';
import { runProbe } from './probe.ts';
import type { Readiness } from './readiness.ts';
import { statusRoute } from './status-route.ts';

/** What is answered with. */
export interface StatusParts {
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

/**
 * Answers of each kind that may be in the making: a merged answer may hold 20 MiB, a probe a connection, an action the
 * kernel's table.
 */
const maxAtOnce = { metrics: 4, probe: 48, action: 4 };
/** Merged answers that one address outside this pod may have in the making. */
const maxMetricsPerCaller = 2;
/** Until the reader has taken the whole of a merged answer. */
const readTimeoutMs = 10_000;
/** Answers the requests of the status port. */
export class StatusDesk {
  readonly #parts: StatusParts;
  readonly #busy = { metrics: 0, probe: 0, action: 0 };
  /** Callers whose merged answers are in the making, once for each. */
  readonly #scrapers: string[] = [];
  readonly #faults = new FaultMemory();
  #reason: string | undefined;

  constructor(parts: StatusParts) {
    this.#parts = parts;
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
        const body = await this.#parts.metrics.text({ query, headers: request.headers });
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
    const ready = await this.#parts.readiness.check();
    const reason = ready.isReady ? undefined : ready.reason;
    if (reason !== this.#reason && reason !== undefined) this.#parts.log.warn('not ready', { reason });
    if (this.#reason !== undefined && reason === undefined) this.#parts.log.info('ready');
    this.#reason = reason;
    send(response, ready.isReady ? 200 : 503, reason ?? '');
  }

  async #act(action: 'drain' | 'quit', request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { actions, log, refusalOf } = this.#parts;
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
      await this.#parts.actions.drain();
      send(response, 200, 'OK');
    } catch (error) {
      send(response, 503, `Envoy cannot be asked to drain: ${(error as Error).message}`);
    }
  }

  async #probe(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { probes, addresses, log } = this.#parts;
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
