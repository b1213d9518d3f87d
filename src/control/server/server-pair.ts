/** Certificate and key of a TLS server. Never log the whole object. */
export interface ServerPair {
  /** PEM, leaf first. */
  readonly certificateChain: string;
  /** PEM. */
  readonly privateKey: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}
