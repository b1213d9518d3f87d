/** Hears of the certificates that are in force; a metric of what is left of them hangs here. */
export interface CertificateObserver {
  /**
   * `resourceName` (`default`, `ROOTCA`) has this end from now on, in milliseconds since the epoch; for several
   * certificates the earliest one.
   */
  inForce?(resourceName: string, notAfterMs: number): void;
  /** Whether the identity in service has come to its end; told for each new identity, and when it ends. */
  expired?(isExpired: boolean): void;
}
