/** What a TLS client presents. */
export interface ClientTls {
  readonly serverName?: string | undefined;
  /** Protocols that it offers, first choice first. */
  readonly alpn: readonly string[];
  /** URI SANs of its certificate, which the mesh's root has signed. Absent: it has no such certificate. */
  readonly identities?: readonly string[] | undefined;
}

/** One connection as it arrives at a proxy. */
export interface Connection {
  /** The peer of the socket. */
  readonly source: string;
  /** Where it went before it was redirected. */
  readonly destination: { readonly address: string; readonly port: number };
  /** Absent: plaintext. */
  readonly tls?: ClientTls | undefined;
  /** What is spoken on it; `bytes` is anything but HTTP. */
  readonly protocol: 'http/1.1' | 'h2' | 'bytes';
}

/** One HTTP request as its client sends it. Texts have one character a byte. */
export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly authority: string;
  /** In the order of the wire; names in any case, repeated ones too. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * Headers, in lower case, that a proxy on the way has set to a value that no prediction knows. One without a line in `headers`
   * is absent where this value is empty.
   */
  readonly opaque?: readonly string[] | undefined;
  /** Headers, in lower case, whose lines are known, absent ones too; absent: all are. */
  readonly told?: readonly string[] | undefined;
  /** A proxy has sent it on: so many lines at most may be there beside `headers`. */
  readonly unseen?: number | undefined;
}
