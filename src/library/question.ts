import type { DecidingField } from '../contracts/origins-file.ts';
import type { Diagnostic } from './result.ts';

/** One request to predict. */
export interface Question {
  /** A workload; `outside`, a client without an address and certificate of the mesh; or a client outside with these. */
  readonly from:
    | { readonly namespace: string; readonly name: string }
    | 'outside'
    | { readonly address: string; readonly identity?: string | undefined };
  /** A workload, or a host as the client writes it; without a port, the only one that is served. */
  readonly to:
    | { readonly namespace: string; readonly name: string; readonly port?: number | undefined }
    | { readonly host: string; readonly port?: number | undefined };
  /** `http` when absent. */
  readonly protocol?: 'http' | 'http2' | 'tcp' | undefined;
  /** `GET` when absent. */
  readonly method?: string | undefined;
  /** With its query; `/` when absent. */
  readonly path?: string | undefined;
  /** That of `to` when absent. */
  readonly host?: string | undefined;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Claims of a token whose signature counts as valid. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** What external authorizers answer; absent: each answer is an outcome. */
  readonly authorizer?: 'allow' | 'deny' | 'away' | undefined;
  /** Seconds since 1970 by which the times of tokens are judged; absent: now. */
  readonly now?: number | undefined;
}

/** What `evaluate` predicts for one question. */
export interface Answer {
  /** Every outcome that is possible, with its reasons. */
  readonly ways: readonly PredictedWay[];
}

/** One outcome, and what happened before. */
export interface PredictedWay {
  readonly outcome: PredictedOutcome;
  /** The workload that it is sent to in the end; absent where it does not come so far. */
  readonly target?: { readonly namespace: string; readonly name: string };
  /** What it assumes of things that nobody knows, such as the answer of an authorizer. */
  readonly because?: readonly { readonly kind: string; readonly of: string; readonly answer: string }[] | undefined;
  readonly legs: readonly PredictedLeg[];
}

export type PredictedOutcome =
  /** The request is delivered. */
  | { readonly kind: 'reaches' }
  /** A proxy answers; `details` is Envoy's reason (`RESPONSE_CODE_DETAILS`). */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly grpcStatus?: number;
      readonly details: string;
      /** Of a proxy whose connection to the next one fails: why. */
      readonly why?: string;
    }
  /** The connection ends without an answer; curl exits with one of these codes. */
  | { readonly kind: 'closed'; readonly exitCodes: readonly number[]; readonly details: string }
  /** One stream of a connection of HTTP/2 ends without an answer. */
  | { readonly kind: 'reset'; readonly details: string }
  /** The configuration says something at this place that is not understood: nothing is predicted. */
  | { readonly kind: 'unmodelled'; readonly at: string };

/** What happened at one proxy, or at a workload without one. */
export interface PredictedLeg {
  readonly workload: { readonly namespace: string; readonly name: string };
  readonly side: 'client' | 'gateway' | 'server';
  /** Absent where no proxy is on the way. */
  readonly listener?: string;
  readonly steps: readonly PredictedStep[];
}

export interface PredictedStep {
  /** Kind of check: `chain`, `tls`, `token`, `access`, `route` and others. */
  readonly station: string;
  /** Name of the chain, rule or route that decided; empty where none did. */
  readonly decider: string;
  /** Where nothing decided: why, as a clause. */
  readonly why?: string;
  readonly decidedBy: readonly DecidingField[];
  /** Rules that would have matched but for one condition: what it wants, and what the request has. */
  readonly nearMisses: readonly { readonly rule: string; readonly wants: string; readonly has: string }[];
  /** Conditions of the rule that denied. */
  readonly met?: readonly { readonly wants: string; readonly has: string }[];
}

/** What `evaluate` gives. */
export interface EvaluateResult {
  /** One for each question, in their order; undefined when a diagnostic is an error. */
  readonly answers: readonly Answer[] | undefined;
  /** Errors, warnings and information, sorted by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many texts were given: the summary of the text form says it. */
  readonly fileCount: number;
}
