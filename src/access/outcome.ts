import type { Fragment } from '../envoy/api/fragment.ts';
import type { MetCondition, NearMiss } from './reason/near-miss.ts';
import type { ClientTls, HttpRequest } from './request.ts';

/** Result of a request or a connection. */
export type Outcome =
  /** The mesh answers by itself. `details` is Envoy's own word for why (RESPONSE_CODE_DETAILS). */
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Of a gRPC request, whose HTTP status is 200 then. */
      readonly grpcStatus?: number;
      readonly details: string;
      /** Of a proxy whose connection to the next one fails: why. */
      readonly why?: string;
    }
  /** It goes on to one of these clusters. */
  | {
      readonly kind: 'reaches';
      readonly clusters: readonly string[];
      /** As the proxy sends it on; absent for bytes. */
      readonly request?: HttpRequest;
      /** What it offers upstream in place of the cluster's own protocols. */
      readonly alpn?: readonly string[];
      /** TLS of the client that the proxy has not ended. */
      readonly tls?: ClientTls | undefined;
    }
  /** The connection ends without an answer; curl's exit codes for it. */
  | { readonly kind: 'closed'; readonly exitCodes: readonly number[]; readonly details: string }
  /** One stream of a connection of HTTP/2 ends without an answer; the others go on. */
  | { readonly kind: 'reset'; readonly details: string }
  /** The configuration says something there that is not understood: anything may come of it. */
  | { readonly kind: 'unmodelled'; readonly at: string };

/** Details of the end of a connection whose client speaks no HTTP where nothing else is understood. */
export const notHttp = 'bytes that are not HTTP';

/** One step on the way of a request. */
export interface Step {
  readonly station:
    | 'chain'
    | 'tls'
    | 'network-access'
    | 'path'
    | 'token'
    | 'access'
    | 'authorizer'
    | 'cors'
    | 'fault'
    | 'route';
  readonly at: Fragment;
  /** Name of the chain, rule or route that decided; empty where none did. */
  readonly decider: string;
  /** Of a step where nothing decided: why, as a clause. */
  readonly why?: string;
  /** Of a route: the table that it stands in. All else stands in the listener, but for what a cluster says. */
  readonly table?: string;
  readonly cluster?: string;
  /**
   * Rules that would have matched but for one condition. Absent where one matched. Of rules that deny, `changing` are the
   * properties that a request would have to change to pass.
   */
  readonly nearMisses?: (changing?: ReadonlySet<string>) => readonly NearMiss[];
  /** Of a rule that denies: each condition of it, with what the request has. */
  readonly met?: () => readonly MetCondition[];
  /** Of access rules: what a rule does with a request that it matches. */
  readonly action?: 'ALLOW' | 'DENY' | 'LOG';
}

/** A request's way through one proxy. */
export interface Passage {
  readonly outcome: Outcome;
  readonly steps: readonly Step[];
}
