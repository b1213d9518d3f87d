/** What a TLS server shows; never log it whole: it holds the key. */
export interface ServerPair {
  /** PEM, leaf first. */
  readonly certificateChain: string;
  /** PEM. */
  readonly privateKey: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}
