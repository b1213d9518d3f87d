import type { Clock } from '../lib/clock.ts';
import type { OutgoingObserver } from '../lib/outgoing-observer.ts';
import type { Exchange } from './post.ts';

/** Where and as whom tokens are exchanged. */
export interface Cloud {
  readonly trustDomain: string;
  /** Names this cluster to the cloud as provider of identities. */
  readonly clusterUrl: string;
  readonly endpoints: CloudEndpoints;
  /** PEM; undefined: Node's own roots, and those of NODE_EXTRA_CA_CERTS. */
  readonly roots?: string;
  readonly clock: Clock;
  readonly outgoing?: OutgoingObserver | undefined;
}

/** Origins of the services that are asked. Nothing but a test has others: tokens are sent there. */
export interface CloudEndpoints {
  readonly securityTokens: string;
  readonly credentials: string;
}

export const cloudEndpoints: CloudEndpoints = {
  securityTokens: 'https://securetoken.googleapis.com',
  credentials: 'https://iamcredentials.googleapis.com',
};

/** An exchange takes at most so long: who asks gives up after 10 s. */
const exchangeMs = 8_000;

/** Makes one exchange, all calls of it, which counts as one outgoing request. */
export async function runExchange<T>(
  { clock, outgoing, roots }: Cloud,
  limits: { readonly deadlineMs?: number; readonly signal: AbortSignal },
  run: (exchange: Exchange) => Promise<T>,
): Promise<T> {
  const startedAtMs = clock.monotonicMs();
  const deadlineAtMs = startedAtMs + Math.min(exchangeMs, limits.deadlineMs ?? exchangeMs);
  const onRetry = (): void => outgoing?.retried?.('token_exchange');
  outgoing?.requested?.('token_exchange');
  try {
    return await run({ clock, deadlineAtMs, signal: limits.signal, roots, onRetry });
  } catch (error) {
    outgoing?.failed?.('token_exchange');
    throw error;
  } finally {
    outgoing?.finished?.('token_exchange', clock.monotonicMs() - startedAtMs);
  }
}
