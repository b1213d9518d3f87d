import type { Connection, HttpRequest } from '../../access/request.ts';
import type { WorkloadCertificate } from '../authority.ts';
import type { Redirect } from './envoy-config.ts';

/** One request on a connection. Those of one connection are sent one after the other. */
export interface GaugeCase {
  readonly connection: Connection;
  readonly request: HttpRequest;
}

/** What the real Envoy made of a case, in the words of its access log. */
export interface GaugeAnswer {
  /** 0 where the connection ended without an answer. */
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
  /** The path as the application saw it; absent where none did. */
  readonly sawPath?: string;
  readonly sawHost?: string;
  /** Headers that the application saw, of those that the gauge asks for: the first line, `-` for none. */
  readonly saw?: Readonly<Record<string, string>>;
  /** Of an answer in the form of gRPC. */
  readonly grpcStatus?: number;
}

/** What the gauge's Envoy is started with, and what its clients send; a file for the process inside the sandbox. */
export interface GaugeJob {
  readonly envoy: string;
  readonly bootstrap: object;
  /** Which listener has the connections to an address. */
  readonly redirects: readonly Redirect[];
  /** Certificates of the clients, by SPIFFE ID. */
  readonly certificates: Readonly<Record<string, WorkloadCertificate>>;
  readonly cases: readonly GaugeCase[];
}
