import { setImmediate as turn } from 'node:timers/promises';
import type { AdminClient } from '../../envoy/admin.ts';
import { staticForm } from '../../envoy/static-form.ts';
import type { Log } from '../log/log.ts';
import type { ConfigFiles } from './config-files.ts';
import { type ExpectedVersions, expectedVersions, readRefusals, waitInForce } from './in-force.ts';
import { type CompileProxy, type ProxyFiles, partsOf } from './proxy-files.ts';
import { refusalDetails } from './refusal.ts';

/** `envoy --mode validate` on one static configuration; the message is Envoy's reason, without the configuration. */
export type ValidateConfig = (config: object) => Promise<{ readonly ok: boolean; readonly message: string }>;

export interface ReloadParts {
  readonly compile: CompileProxy;
  /** Why a compiled configuration cannot be used here; undefined when it can. */
  readonly check: (files: ProxyFiles) => string | undefined;
  readonly validate: ValidateConfig;
  /** Hands out what the configuration's gateway servers ask for. Absent: nobody asks. */
  readonly serveSecrets?: (files: ProxyFiles) => void;
  readonly files: ConfigFiles;
  readonly admin: AdminClient;
  readonly log: Log;
  /** How long Envoy may take for one step before the change is given up. */
  readonly stepTimeoutMs?: number;
  readonly signal: AbortSignal;
}

/** Thrown and caught here: the change has to be given up. */
class NotInForce extends Error {}

/**
 * Keeps Envoy's configuration at what the inputs say. A change is compiled, validated, and written in order, and only
 * said to be in force when Envoy shows it. A change that fails leaves the last good configuration in force.
 */
export class Reloader {
  readonly #parts: Required<ReloadParts>;
  #current: ProxyFiles;
  #lastProblem = '';
  #isWanted = false;
  #isRunning = false;
  /** The folder may hold a part of a change that was given up. */
  #isTorn = false;

  constructor(first: ProxyFiles, parts: ReloadParts) {
    this.#current = first;
    this.#parts = { stepTimeoutMs: 15_000, serveSecrets: () => {}, ...parts };
  }

  /** What Envoy was last told, and has in force unless it is still starting. */
  get current(): ProxyFiles {
    return this.#current;
  }

  /** Reloads, one at a time; a call during a reload makes one more follow. Gives true when something came into force. */
  async reload(): Promise<boolean> {
    this.#isWanted = true;
    if (this.#isRunning) return false;
    this.#isRunning = true;
    let hasChanged = false;
    try {
      while (this.#isWanted && !this.#parts.signal.aborted) {
        this.#isWanted = false;
        hasChanged = (await this.#reloadSafely()) || hasChanged;
        await turn();
      }
    } finally {
      this.#isRunning = false;
    }
    return hasChanged;
  }

  /** Whatever fails (a full disk, a folder that cannot be written): a proxy that serves goes on serving. */
  async #reloadSafely(): Promise<boolean> {
    try {
      return await this.#reloadOnce();
    } catch (error) {
      this.#keep(`the change could not be taken over: ${(error as Error).message}`);
      return false;
    }
  }

  async #reloadOnce(): Promise<boolean> {
    const next = await this.#compiled();
    if (next === undefined || (this.#isTorn && !(await this.#restore()))) return false;
    const { log, serveSecrets } = this.#parts;
    // Before the listeners that ask for them; a new certificate comes without any other change.
    serveSecrets(next);
    if (next.bootstrap !== this.#current.bootstrap) {
      log.warn('the bootstrap has changed; that takes effect when the agent starts again');
    }
    if (isSame(this.#current, next)) {
      log.info(this.#lastProblem === '' ? 'configuration unchanged' : 'configuration mended, as it was before');
      this.#lastProblem = '';
      this.#current = next;
      await this.#parts.files.writeBeside(next).catch((error: Error) => this.#keep(error.message));
      return false;
    }
    const fault = this.#parts.check(next);
    if (fault !== undefined) {
      this.#keep(fault);
      return false;
    }
    const validated = await this.#parts.validate(staticForm(partsOf(next)));
    if (!validated.ok) {
      this.#keep(`Envoy refuses it: ${validated.message}`);
      return false;
    }
    return this.#replace(next);
  }

  async #compiled(): Promise<ProxyFiles | undefined> {
    try {
      const result = await this.#parts.compile();
      if ('problems' in result) {
        this.#keep(result.problems.join('\n'));
        return undefined;
      }
      for (const warning of result.warnings) this.#parts.log.warn(warning);
      return result.files;
    } catch (error) {
      // A file that vanished between the listing and the reading: the next change, or the poll, tries again.
      this.#keep((error as Error).message);
      return undefined;
    }
  }

  async #replace(next: ProxyFiles): Promise<boolean> {
    const { admin, files, log } = this.#parts;
    const before = this.#current;
    const startedAt = performance.now();
    try {
      const refusals = await readRefusals(admin);
      await files.replace(before, next, (expected) => this.#wait(expected, refusals));
    } catch (error) {
      if (this.#parts.signal.aborted) return false;
      this.#keep((error as Error).message);
      await this.#restore();
      return false;
    }
    this.#current = next;
    this.#lastProblem = '';
    const { clusters, listeners } = expectedVersions(next);
    log.info('configuration in force', { clusters, listeners, ms: Math.round(performance.now() - startedAt) });
    return true;
  }

  /** Writes the current files again. A full disk must not end an Envoy that serves: the next change tries again. */
  async #restore(): Promise<boolean> {
    try {
      await this.#parts.files.restore(this.#current);
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn = true;
      this.#parts.log.error(`the last good configuration cannot be written back: ${(error as Error).message}`);
    }
    return !this.#isTorn;
  }

  async #wait(expected: ExpectedVersions, refusalsBefore: number): Promise<void> {
    const { admin, signal, stepTimeoutMs } = this.#parts;
    const result = await waitInForce(admin, expected, { timeoutMs: stepTimeoutMs, signal, refusalsBefore });
    if (result.isInForce) return;
    const details = result.isRefused ? await refusalDetails(admin) : '';
    const reason = result.isRefused ? 'Envoy refused it' : 'Envoy does not show it';
    throw new NotInForce([`${reason}: ${result.missing.join('; ')}`, details].filter((text) => text !== '').join(': '));
  }

  #keep(problem: string): void {
    if (problem !== this.#lastProblem) {
      this.#parts.log.error(`the change is not taken, the last good configuration stays in force: ${problem}`);
    }
    this.#lastProblem = problem;
  }
}

/** Whether Envoy would see no difference. What stands beside the configuration (origins) may differ. */
function isSame(a: ProxyFiles, b: ProxyFiles): boolean {
  return (
    a.clusters === b.clusters &&
    a.listeners === b.listeners &&
    a.routes.size === b.routes.size &&
    [...a.routes].every(([name, text]) => b.routes.get(name) === text)
  );
}
