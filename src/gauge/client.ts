import type { HttpRequest } from '../access/request.ts';

/** What a client sees of the answer to one request. */
export interface RawAnswer {
  /** 0 where the connection ended without an answer. */
  readonly status: number;
  /** Why, then. */
  readonly ending?: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Whether the server ends the connection after it. */
  readonly isLast: boolean;
}

/** Requests on one connection, one after the other. */
export interface GaugeClient {
  send(request: HttpRequest | undefined): Promise<RawAnswer>;
  close(): void;
}

/** Far longer than a busy machine takes, in milliseconds. */
export const answerTimeoutMs = 300_000;

/**
 * How a connection ended, in one word: `reset`, or the code of the error. Node has the code of a reset for a plain end in the
 * middle of a TLS handshake too.
 */
export function endingOf(error: NodeJS.ErrnoException): string {
  if (error.message.startsWith('Client network socket disconnected')) return 'end';
  return error.code === 'ECONNRESET' ? 'reset' : (error.code ?? 'error');
}

/** The connection ended in this way, without an answer. */
export function ended(ending: string): RawAnswer {
  return { status: 0, ending, headers: new Map(), isLast: true };
}
