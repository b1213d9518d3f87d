import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { ExchangeError, type TokenGrant, type TokenRequest } from './token-manager.ts';

/** Gets a token that is not at hand. Throws `ExchangeError`. */
export type FetchGrant = (request: TokenRequest) => Promise<TokenGrant>;

/** A token with less life left is not handed out again. */
const leastLifeMs = 300_000;
/** With so much left, a new one is fetched beside the answer. */
const refreshLifeMs = 360_000;
/** So long a failure answers for itself. */
const failureMs = 1_000;
const mostEntries = 128;

interface Failure {
  readonly error: ExchangeError;
  /** Monotonic. */
  readonly untilMs: number;
}

/**
 * Granted tokens by request; the caller's whole token is part of the key. A key of its claims alone would give the granted
 * token to every caller who writes the same claims, because no signature is verified here.
 * Equal requests at one time are fetched once.
 */
export class GrantCache {
  readonly #clock: Clock;
  readonly #fetch: FetchGrant;
  /** The least recently used first. */
  readonly #grants = new Map<string, TokenGrant>();
  /** Apart from the grants: junk must not push those out. */
  readonly #failures = new Map<string, Failure>();
  readonly #flights = new Map<string, Promise<TokenGrant>>();

  constructor(clock: Clock, fetch: FetchGrant) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /** Throws `ExchangeError`. */
  async get(request: TokenRequest): Promise<TokenGrant> {
    const key = keyOf(request);
    const grant = this.#grants.get(key);
    const lifeMs = grant === undefined ? 0 : grant.expiresAtMs - this.#clock.wallMs();
    if (grant !== undefined && lifeMs > leastLifeMs) {
      remember(this.#grants, key, grant);
      // A failure stays without effect as long as this token is good.
      if (lifeMs <= refreshLifeMs && this.#failure(key) === undefined)
        void this.#fly(key, request).catch(() => undefined);
      return grant;
    }
    const failure = this.#failure(key);
    if (failure !== undefined) throw failure;
    return this.#fly(key, request);
  }

  #failure(key: string): ExchangeError | undefined {
    const failure = this.#failures.get(key);
    if (failure === undefined || this.#clock.monotonicMs() < failure.untilMs) return failure?.error;
    this.#failures.delete(key);
    return undefined;
  }

  #fly(key: string, request: TokenRequest): Promise<TokenGrant> {
    const flying = this.#flights.get(key);
    if (flying !== undefined) return flying;
    const flight = this.#land(key, request).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  async #land(key: string, request: TokenRequest): Promise<TokenGrant> {
    try {
      const grant = await this.#fetch(request);
      if (grant.expiresAtMs - this.#clock.wallMs() > leastLifeMs) remember(this.#grants, key, grant);
      else this.#grants.delete(key);
      return grant;
    } catch (error) {
      if (error instanceof ExchangeError)
        remember(this.#failures, key, { error, untilMs: this.#clock.monotonicMs() + failureMs });
      throw error;
    }
  }
}

function keyOf({ subjectToken, scope, audience, resource }: TokenRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([subjectToken, scope, audience, resource]))
    .digest('base64');
}

function remember<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > mostEntries && oldest !== undefined) entries.delete(oldest);
}
