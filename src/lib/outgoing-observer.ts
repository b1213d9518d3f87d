/** What an outgoing request asks for; the value of the label `request_type`. */
export type OutgoingRequestType = 'csr' | 'token_exchange';

/**
 * Hears of requests to the certificate authority and to a token service. One logical request is all its attempts:
 * `requested` before the first, `retried` at each further one after its wait, `failed` when it is given up, `finished`
 * in either case.
 */
export interface OutgoingObserver {
  requested?(type: OutgoingRequestType): void;
  retried?(type: OutgoingRequestType): void;
  failed?(type: OutgoingRequestType): void;
  /** `ms` is the whole logical request with its waits, on success and on failure. */
  finished?(type: OutgoingRequestType, ms: number): void;
}
