import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { within } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { otlpRequest } from './otlp-json.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import type { Span } from './span.ts';

export interface ExporterOptions {
  readonly settings: OtlpSettings;
  readonly log: PlainLog;
  /** Spans that the receiver has taken. */
  readonly sent: (count: number) => void;
  /** Spans that are given up: too many wait, or the receiver refuses them. */
  readonly lost: (count: number) => void;
  /** Spans are gathered for so long; a second by default. */
  readonly delayMs?: number;
}

/** So many spans wait at most; about 2 MiB. */
const mostWaiting = 4_096;
const mostInRequest = 512;
const longestDelayMs = 60_000;
/** At the end a receiver that is slow or away is waited for so long. */
const lastWordMs = 1_000;

/** Statuses after which the same request may be taken later (OTLP over HTTP, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

type Outcome = 'taken' | 'later' | 'never';

/**
 * Sends spans to an OTLP receiver over HTTP, one request at a time. Nothing waits for it: while the receiver is down or slow,
 * spans wait in a limited queue, and further ones are dropped and counted.
 */
export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #waiting: Span[] = [];
  readonly #delayMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** Requests in a row that the receiver has not taken. */
  #failures = 0;
  #isClosed = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#delayMs = options.delayMs ?? 1_000;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(span: Span): void {
    if (this.#waiting.length >= mostWaiting || this.#isClosed) {
      this.#options.lost(1);
      return;
    }
    this.#waiting.push(span);
    this.#arm();
  }

  /** Sends what waits, if that is quickly done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#failures === 0) await within(lastWordMs, this.#sendAll());
    this.#options.lost(this.#waiting.splice(0).length);
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#sending !== undefined || this.#waiting.length === 0 || this.#isClosed)
      return;
    const delay = Math.min(longestDelayMs, this.#delayMs * 2 ** Math.min(this.#failures, 10));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#sendAll().finally(() => {
        this.#sending = undefined;
        this.#arm();
      });
    }, delay).unref();
  }

  async #sendAll(): Promise<void> {
    await this.#sending;
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.slice(0, mostInRequest);
      const outcome = await this.#post(spans);
      if (outcome === 'later') return;
      this.#waiting.splice(0, spans.length);
      if (outcome === 'taken') this.#options.sent(spans.length);
      else this.#options.lost(spans.length);
    }
  }

  async #post(spans: readonly Span[]): Promise<Outcome> {
    const { url, headers, timeoutMs, isCompressed, resource } = this.#options.settings;
    const json = otlpRequest(spans, resource);
    try {
      const response = await fetch(url, {
        ...{ method: 'POST', redirect: 'error', signal: AbortSignal.timeout(timeoutMs) },
        headers: {
          ...headers,
          'content-type': 'application/json',
          ...(isCompressed && { 'content-encoding': 'gzip' }),
        },
        body: isCompressed ? new Uint8Array(await promisify(gzip)(json)) : json,
      });
      await response.body?.cancel();
      if (response.ok) return this.#tell('taken', '');
      return this.#tell(retryable.has(response.status) ? 'later' : 'never', `status ${response.status}`);
    } catch (error) {
      const { message, cause } = error as Error;
      return this.#tell('later', cause instanceof Error ? cause.message : message);
    }
  }

  /** The first failure is told, and its end; metrics count what is between. */
  #tell(outcome: Outcome, reason: string): Outcome {
    const { log, settings } = this.#options;
    const endpoint = new URL(settings.url).host;
    if (outcome !== 'taken') {
      if (this.#failures === 0) log.warn('the receiver of traces does not take spans', { endpoint, reason });
      this.#failures++;
    } else {
      if (this.#failures > 0) log.info('the receiver of traces takes spans again', { endpoint });
      this.#failures = 0;
    }
    return outcome;
  }
}
