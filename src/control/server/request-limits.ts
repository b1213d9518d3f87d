/** What Node's HTTP servers wait for a request. */
export interface RequestLimits {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly connectionsCheckingInterval: number;
}

const longestHeadersMs = 5_000;
/** Node looks every 30 s by default, so that a request could take that much longer than it may. */
const checkingMs = 1_000;

/** The limits of a server to which a whole request arrives within so many milliseconds, its headers within five seconds of them. */
export function requestLimits(requestTimeoutMs: number): RequestLimits {
  return {
    requestTimeout: requestTimeoutMs,
    // Node refuses a server whose headers may take longer than the request.
    headersTimeout: Math.min(longestHeadersMs, requestTimeoutMs),
    connectionsCheckingInterval: checkingMs,
  };
}
