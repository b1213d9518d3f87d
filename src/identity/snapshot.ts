/** A workload's identity at one moment: checked, and ready to be served. Never log it whole: it holds the private key. */
export interface SecretSnapshot {
  readonly spiffeId: string;
  /** PEM, leaf first. */
  readonly certificateChain: string;
  /** PEM, PKCS #8, PKCS #1 or SEC 1. */
  readonly privateKey: string;
  /** PEM, one or more roots. */
  readonly rootCertificates: string;
  /** When the first certificate of the chain expires, in milliseconds since the epoch. */
  readonly notAfterMs: number;
  /** Serial number of the leaf, for logs. */
  readonly serialNumber: string;
}

/** The three texts of an identity, not looked at yet. */
export interface IdentityTexts {
  readonly certificateChain: string;
  readonly privateKey: string;
  readonly rootCertificates: string;
}

/** An identity, or the one sentence that says why the texts are none. The sentence never quotes the texts. */
export type IdentityCheck =
  | { readonly snapshot: SecretSnapshot; readonly problem?: never }
  | { readonly problem: string; readonly snapshot?: never };
