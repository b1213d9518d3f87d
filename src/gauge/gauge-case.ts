import type { Connection, HttpRequest } from '../access/request.ts';

/** One request on a connection. */
export interface GaugeCase {
  readonly connection: Connection;
  readonly request: HttpRequest;
}

/** A case, or bytes that are neither HTTP nor TLS, in place of its request. */
export type SentCase = Pick<GaugeCase, 'connection'> & {
  readonly request?: HttpRequest | undefined;
  /** On a connection of its own, also if others have the same ends. */
  readonly isAlone?: boolean;
};

/** A case, and the key of the gate that it goes through. */
export interface GateCase extends SentCase {
  readonly gate: string;
}

/** What the real Envoy made of a case, in the words of its access log. */
export interface GaugeAnswer {
  /** 0 where the connection ended without an answer, and for bytes. */
  readonly status: number;
  /** The case that opened its connection: an inspector chooses by what comes first. */
  readonly opener: number;
  /** How it ended then: `reset`, `end`, or the error of the TLS handshake. */
  readonly ending?: string;
  /** RESPONSE_CODE_DETAILS of a request, CONNECTION_TERMINATION_DETAILS of a connection. */
  readonly details: string;
  readonly chain: string;
  readonly route: string;
  readonly cluster: string;
  /** The access rule that an HTTP filter has met last; absent: none. */
  readonly rule?: string;
  /** The path as the application saw it; absent where none did. */
  readonly sawPath?: string;
  readonly sawHost?: string;
  /** Headers that the application saw, of those that the gauge asks for: the first line, `-` for none. */
  readonly saw?: Readonly<Record<string, string>>;
  /** Of an answer in the form of gRPC. */
  readonly grpcStatus?: number;
}
