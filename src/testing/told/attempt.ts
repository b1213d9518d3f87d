import type { Connection, HttpRequest } from '../../access/request.ts';

/** A request that is being changed. */
export interface Attempt {
  readonly connection: Connection;
  readonly request: HttpRequest;
  /** A sidecar believes what x-forwarded-for says of the client; a gateway takes the port off the host. */
  readonly role: 'sidecar' | 'gateway';
  /** The rules see the connection alone: no header says who the client is, and its sidecar offers no HTTP. */
  readonly isOfConnection: boolean;
  /** Of its valid token; absent: it has none. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** By issuer whose tokens are taken, claims of a token that would be valid. */
  readonly validClaims: ReadonlyMap<unknown, Readonly<Record<string, unknown>>>;
}
