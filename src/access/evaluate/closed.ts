import type { Outcome } from '../outcome.ts';
import type { Connection } from '../request.ts';

/**
 * How a proxy ends a connection: with the client's bytes `unread`, which the kernel answers with a reset, or once they are
 * `read`. Where they are `unawaited`, they come before or after the end.
 */
export type Ending = 'unawaited' | 'unread' | 'read';

/** The client as it sees the end. */
export interface CutClient {
  readonly protocol: Connection['protocol'];
  /** It has begun a TLS handshake, which nobody has answered. */
  readonly isShakingHands: boolean;
}

/** The connection ends without an answer. Exit codes as curl was seen to have them; several where timing decides. */
export function closed(ending: Ending, client: CutClient, details: string): Outcome {
  return closedWith(client.isShakingHands ? [35] : exits[ending][client.protocol], details);
}

/** The same, with these exit codes of curl. */
export function closedWith(exitCodes: readonly number[], details: string): Outcome {
  return { kind: 'closed', exitCodes, details };
}

/** A client of HTTP/2 writes more than once: it may meet a reset while it writes (55), or afterwards (56). */
const exits: Readonly<Record<Ending, Readonly<Record<Connection['protocol'], readonly number[]>>>> = {
  // As one of the others, whichever comes first.
  unawaited: { 'http/1.1': [52, 56], h2: [18, 55, 56], bytes: [52, 56] },
  unread: { 'http/1.1': [56], h2: [55, 56], bytes: [56] },
  read: { 'http/1.1': [52], h2: [18, 55, 56], bytes: [52] },
};
