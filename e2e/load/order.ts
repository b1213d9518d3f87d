/** Somebody who answers. */
export interface LoadTarget {
  readonly host: string;
  readonly port: number;
}

/** What the load client is told as it starts. */
export interface LoadOrder {
  /**
   * File with a JSON list of {@link LoadTarget}; read again when it changes. With an empty list nobody is called. The client
   * prints `moved`, and how often it has read another list, once no request of before is in flight.
   */
  readonly targetsFile: string;
  readonly path: string;
  /** Requests a second, in each manner. */
  readonly perSecond: number;
  /** Requests in each manner, after which the client ends by itself; no limit when absent. */
  readonly limit?: number;
  /** After so long a request counts as failed. */
  readonly deadlineMs: number;
  /** Of a good answer. */
  readonly status: number;
  /** Lines that a whole answer has. */
  readonly lines: number;
  /** The client speaks mutual TLS itself; plain text when absent. */
  readonly tls?: LoadTls;
}

/** PEM texts, and the SPIFFE ID that the server must have. */
export interface LoadTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly serverId: string;
}
