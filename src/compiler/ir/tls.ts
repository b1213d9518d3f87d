import type { Origins } from './origin.ts';

/** How the SPIFFE identity of a peer is checked. */
export type SanMatcher = { readonly kind: 'exact' | 'prefix'; readonly value: string };

/** Mutual TLS with the workload's own certificate and the mesh's root, both over SDS. */
export interface DownstreamMeshTls {
  readonly kind: 'mesh';
  /** Protocols offered in the handshake; empty offers none. */
  readonly alpn: readonly string[];
  /** One prefix a trust domain; empty accepts every identity of the mesh root (PILOT_SKIP_VALIDATE_TRUST_DOMAIN). */
  readonly peerSans: readonly SanMatcher[];
  readonly origins: Origins;
}

/** A secret by its name over SDS; 0 waits for it for ever, and the listener with it. */
export interface SdsSecretIR {
  readonly name: string;
  /** The workload's own are the agent's in any case; those of a gateway come with its configuration. */
  readonly of: 'workload' | 'gateway';
  readonly fetchTimeoutMs: number;
}

export type TlsVersionIR = 'TLSv1_0' | 'TLSv1_1' | 'TLSv1_2' | 'TLSv1_3';

/** What a gateway's server asks of client certificates. */
export interface ClientValidationIR {
  readonly trustedCa: SdsSecretIR | { readonly file: string };
  /** One of them must be in the certificate; empty asks for none. */
  readonly sans: readonly (SanMatcher & { readonly type: 'URI' | 'DNS' | 'EMAIL' | 'IP_ADDRESS' })[];
  /** Base64 SHA-256 of keys, hexadecimal SHA-256 of certificates: one of either list must fit; both empty ask for none. */
  readonly spkiPins: readonly string[];
  readonly hashPins: readonly string[];
  /** File of the revocation list. */
  readonly crl: string | undefined;
}

/** TLS that a gateway terminates for one of its servers. */
export interface DownstreamGatewayTls {
  readonly kind: 'gateway';
  readonly alpn: readonly string[];
  readonly certificate: SdsSecretIR | { readonly chain: string; readonly key: string };
  /** Whether a client must show a certificate; without `validation` none is asked for. */
  readonly requiresClientCertificate: boolean;
  readonly validation: ClientValidationIR | undefined;
  readonly minVersion: TlsVersionIR;
  readonly maxVersion: TlsVersionIR;
  /** Of TLS 1.2 and older, in order of preference; never empty. */
  readonly cipherSuites: readonly string[];
  readonly origins: Origins;
}

export interface UpstreamMeshTls {
  readonly kind: 'mesh';
  readonly sni: string;
  readonly alpn: readonly string[];
  /** Exact identities of the server; empty accepts any identity of the mesh root. */
  readonly serverSans: readonly SanMatcher[];
}

/** TLS towards a server outside the mesh's identities (modes SIMPLE and MUTUAL). */
export interface UpstreamExternalTls {
  readonly kind: 'external';
  readonly sni: string | undefined;
  /** Take SNI from the request's host, and check the certificate against it. */
  readonly autoSni: boolean;
  readonly autoSanValidation: boolean;
  readonly alpn: readonly string[];
  readonly serverSans: readonly string[];
  /** Files of the client certificate (mode MUTUAL). */
  readonly clientCertificate: { readonly chain: string; readonly key: string } | undefined;
  /** CA file; `system` is the operating system's bundle; undefined verifies nothing (`insecureSkipVerify`). */
  readonly trustedCa: { readonly file: string } | 'system' | undefined;
  readonly crl: string | undefined;
}

/** Transport of an Envoy cluster. */
export type UpstreamTransport =
  | { readonly kind: 'plaintext'; readonly origins: Origins }
  | { readonly kind: 'tls'; readonly tls: UpstreamMeshTls | UpstreamExternalTls; readonly origins: Origins }
  /** Mesh TLS to endpoints with a sidecar, plaintext to the others (automatic mutual TLS). */
  | { readonly kind: 'automatic'; readonly tls: UpstreamMeshTls; readonly origins: Origins };
