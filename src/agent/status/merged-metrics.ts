import type { IncomingHttpHeaders } from 'node:http';
import type { AdminAddress } from '../../envoy/admin.ts';
import { within } from '../../lib/abort.ts';
import type { Log } from '../log/log.ts';
import type { PodAddresses } from './dial.ts';
import { FaultMemory } from './fault-memory.ts';
import { joinMetrics, withoutCollisions } from './merge-metrics.ts';
import type { MetricsPart, ScrapeObserver } from './observer.ts';
import { scrapeApplication, scrapeEnvoy } from './scrape.ts';
import type { ScrapeTarget } from './scrape-targets.ts';

export interface MetricsSources {
  /** Undefined: there is no Envoy yet. */
  readonly admin: () => AdminAddress | undefined;
  readonly targets: readonly ScrapeTarget[];
  /** Where applications serve their metrics, in the order in which they are tried. */
  readonly addresses: () => PodAddresses;
  /** The agent's own, in text 0.0.4. */
  readonly own: () => Promise<string>;
  readonly observer: ScrapeObserver | undefined;
  readonly log: Log;
}

/** What is asked for: the query and the headers of the scrape. */
export interface ScrapeRequest {
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** The text that every part is in; scrapers take it whatever else they prefer. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

const defaultTimeoutMs = 10_000;
/** A part of the scraper's time is left for the answer's way back. */
const shareOfTimeout = 0.9;

/** Metrics of agent, Envoy and application in one answer. */
export class MergedMetrics {
  readonly #sources: MetricsSources;
  /** Told once each, not at every scrape. */
  readonly #told = new Set<string>();
  readonly #faults = new FaultMemory();

  constructor(sources: MetricsSources) {
    this.#sources = sources;
  }

  /** A part that fails is missing, counted and logged; the others are there. Never throws. */
  async text(request: ScrapeRequest): Promise<Buffer> {
    const { admin, targets, addresses, own, observer } = this.#sources;
    observer?.scraped();
    const signal = AbortSignal.timeout(timeoutOf(request.headers));
    const address = admin();
    const [envoy, ...application] = await Promise.all([
      this.#part('envoy', address === undefined ? noEnvoy() : scrapeEnvoy(address, request.query, signal)),
      ...targets.map((target) =>
        this.#part('application', scrapeApplication(target, addresses(), request.headers, signal), target),
      ),
    ]);
    // Last, so that it tells of the parts that failed in this very scrape.
    const agent = await this.#part(
      'agent',
      own().then((text) => Buffer.from(text)),
    );
    return joinMetrics([this.#ownFamilies(agent, application), envoy ?? nothing, ...application]);
  }

  /** Of `target` the path is not told: a token may stand in it. */
  async #part(part: MetricsPart, asked: Promise<Buffer>, target?: ScrapeTarget): Promise<Buffer> {
    const { observer, log } = this.#sources;
    const fields = { part, ...(target !== undefined && { port: target.port }) };
    const place = target === undefined ? part : `${target.port}${target.path}`;
    try {
      const text = await within(maxTimeoutMs, asked);
      if (text === undefined) throw new Error('no answer in time');
      if (this.#faults.isNews(place, undefined)) log.info('a part of the metrics is there again', fields);
      return text;
    } catch (error) {
      observer?.failed(part);
      const reason = (error as Error).message;
      if (this.#faults.isNews(place, reason)) log.warn('a part of the metrics is missing', { ...fields, reason });
      return nothing;
    }
  }

  #ownFamilies(agent: Buffer, application: readonly Buffer[]): Buffer {
    const { text, removed } = withoutCollisions(agent.toString(), application);
    const untold = removed.filter((name) => !this.#told.has(name));
    for (const name of untold) this.#told.add(name);
    if (untold.length > 0) {
      this.#sources.log.warn("metrics of the agent give way to the application's of the same names", { names: untold });
    }
    return removed.length === 0 ? agent : Buffer.from(text);
  }
}

async function noEnvoy(): Promise<never> {
  throw new Error('no Envoy runs');
}

const nothing = Buffer.alloc(0);
const maxTimeoutMs = 60_000;

/** X-Prometheus-Scrape-Timeout-Seconds, a number that may have a fraction. */
function timeoutOf(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers['x-prometheus-scrape-timeout-seconds']);
  if (!(seconds > 0)) return defaultTimeoutMs;
  return Math.max(1, Math.min(Math.round(seconds * 1_000 * shareOfTimeout), maxTimeoutMs));
}
