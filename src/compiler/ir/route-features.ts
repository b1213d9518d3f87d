import type { StringMatchIR } from './string-match.ts';

/** Requests that are slowed down or answered with an error, to see what clients make of it. Shares are in percent. */
export interface FaultIR {
  readonly delay: { readonly durationMs: number; readonly percent: number } | undefined;
  readonly abort:
    | { readonly status: { readonly http: number } | { readonly grpc: number }; readonly percent: number }
    | undefined;
}

/** Answers to browsers about requests from other origins (CORS). */
export interface CorsIR {
  readonly allowOrigins: readonly StringMatchIR[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds: number | undefined;
  readonly allowCredentials: boolean;
  /** Whether a preflight of no allowed origin reaches the application. */
  readonly forwardsUnmatchedPreflights: boolean;
}

/** HTTP filters that features of routes, or a gateway's protocol, need before the router, in order of execution. */
export type RouteFilterIR = 'grpc-web' | 'cors' | 'fault';
