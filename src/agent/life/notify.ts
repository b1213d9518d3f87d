import { execFile } from 'node:child_process';
import type { Log } from '../log/log.ts';
import type { AgentState } from './state.ts';

const timeoutMs = 2_000;

/**
 * Tells systemd how the service is (sd_notify(3)): `READY=1` when the proxy is ready for the first time, `STOPPING=1`
 * when its end begins. Node has no datagram sockets of the Unix domain, so the system's `systemd-notify` does it: the unit
 * needs `NotifyAccess=all`. What fails is logged; a proxy does not end for it.
 */
export class ServiceNotices {
  readonly #socket: string | undefined;
  readonly #log: Log;
  readonly #told = new Set<string>();
  /** One after the other: STOPPING=1 must not overtake READY=1. */
  #last: Promise<void> = Promise.resolve();

  /** `socket` is NOTIFY_SOCKET; nobody is told when it is undefined. */
  constructor(socket: string | undefined, log: Log) {
    this.#socket = socket;
    this.#log = log;
  }

  /** The agent's state has changed. */
  moved(state: AgentState): void {
    if (state === 'running') this.#tell('READY=1');
    if (state === 'draining' || state === 'stopping') this.#tell('STOPPING=1');
  }

  /** Resolves when everything has been told. */
  sent(): Promise<void> {
    return this.#last;
  }

  #tell(notice: string): void {
    const socket = this.#socket;
    if (socket === undefined || this.#told.has(notice)) return;
    this.#told.add(notice);
    this.#last = this.#last.then(() => send(socket, notice, this.#log));
  }
}

function send(socket: string, notice: string, log: Log): Promise<void> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, NOTIFY_SOCKET: socket };
    execFile('systemd-notify', [notice], { env, timeout: timeoutMs }, (error) => {
      if (error !== null) log.warn('systemd cannot be told', { notice, reason: error.message.trim() });
      resolve();
    });
  });
}
