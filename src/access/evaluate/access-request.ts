import type { Connection, HttpRequest } from '../request.ts';
import type { Client } from './client.ts';
import type { AuthorizerAnswer } from './surroundings.ts';

/** One request from a client to an address. */
export interface AccessRequest {
  readonly from: Client;
  readonly to: { readonly address: string; readonly port: number };
  readonly protocol: Connection['protocol'];
  /** Absent for bytes. */
  readonly request?: HttpRequest | undefined;
  /** What every external authorizer answers; absent: each answer is a way of its own. */
  readonly authorizer?: AuthorizerAnswer | undefined;
}

/** Address of a client without a known one: from the block for benchmarks (RFC 2544), which nobody uses. */
export const assumedAddress = '198.18.0.1';
