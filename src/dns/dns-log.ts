import type { PlainLog } from '../lib/log.ts';

/** The levels of the agent's log that the DNS server uses. */
export type Log = Pick<PlainLog, 'info' | 'warn'>;

/** One line of a kind in so many milliseconds: a network that fails must not fill the log. */
const quietMs = 30_000;

/** Logs why queries fail, at most one line in 30 s for each reason, with the number of suppressed lines; never the names. */
export class DnsLog {
  readonly #log: Log;
  readonly #kinds = new Map<string, { toldAtMs: number; unsaid: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  failed(what: string, error: Error): void {
    const nowMs = performance.now();
    const kind = this.#kinds.get(what);
    if (kind !== undefined && nowMs - kind.toldAtMs < quietMs) {
      kind.unsaid += 1;
      return;
    }
    this.#kinds.set(what, { toldAtMs: nowMs, unsaid: 0 });
    const reason = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
    this.#log.warn(`DNS: ${what} could not be resolved, the client hears SERVFAIL`, {
      reason,
      ...(kind !== undefined && kind.unsaid > 0 && { moreBefore: kind.unsaid }),
    });
  }
}
