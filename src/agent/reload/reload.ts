import { setImmediate as turn } from 'node:timers/promises';
import type { CompiledFiles } from '../../contracts/compile-result.ts';
import { ReplacedCompilation } from '../../contracts/compile-result.ts';
import type { NamedObject } from '../../contracts/named-object.ts';
import { bootstrapText, type ProxyFiles } from '../../contracts/proxy-files.ts';
import type { ActiveConfig } from './active-config.ts';
import { changedPolicies } from './changed-policies.ts';
import { ClusterRemoval } from './cluster-removal.ts';
import { type ExpectedVersions, readRefusals, waitInForce } from './in-force.ts';
import { judge } from './judge.ts';
import { causes, NotInForce } from './not-in-force.ts';
import { noObserver } from './observer.ts';
import { Problems } from './problems.ts';
import { isSame, versionsOf } from './proxy-files.ts';
import { refusalDetails } from './refusal.ts';
import type { ReloadParts } from './reload-parts.ts';
import { formatSuspects, suspectsNamedIn } from './suspects.ts';

export type { ValidateConfig } from './judge.ts';

/**
 * Keeps Envoy's configuration at what the inputs say. A change is compiled, validated, and written in order, and only
 * said to be in force when Envoy shows it. A change that fails leaves the last valid configuration in force, in which only
 * the keys of token issuers are renewed.
 */
export class Reloader {
  readonly #parts: Required<ReloadParts>;
  readonly #problems: Problems;
  readonly #active: ActiveConfig;
  readonly #removal: ClusterRemoval;
  #isWanted = false;
  #isRunning = false;
  /** The folder may hold a part of a change that was given up. */
  #isTorn = false;
  #mustRetry = false;
  /** When the first change that is not in force yet was seen, as `performance.now()` counts. */
  #seenAtMs: number | undefined;

  constructor(active: ActiveConfig, parts: ReloadParts) {
    this.#active = active;
    const defaults = {
      ...{ stepTimeoutMs: 15_000, serveSecrets: () => {}, observer: noObserver, followInputs: () => {} },
      findSharedPort: async () => undefined,
    };
    this.#parts = { ...defaults, ...parts };
    this.#problems = new Problems(this.#parts.log, this.#parts.observer);
    const { files, signal, log } = this.#parts;
    this.#removal = new ClusterRemoval({
      ...{ files, signal, log },
      current: () => this.current,
      isBusy: () => this.#isRunning,
    });
  }

  /** What Envoy was last told, and has in force unless it is still starting. */
  get current(): ProxyFiles {
    return this.#active.files;
  }

  /**
   * Whether the last reload failed for a reason that may pass without a change of the inputs: a full disk, a silent
   * Envoy.
   */
  get mustRetry(): boolean {
    return this.#mustRetry;
  }

  /**
   * Reloads, one at a time; a call during a reload makes one more follow. Gives true when something came into force.
   * `seenAtMs` is when the change was seen, as `performance.now()` counts; `replaced` fires at a newer one, a reload of its own.
   */
  async reload(seenAtMs = performance.now(), replaced?: AbortSignal): Promise<boolean> {
    this.#isWanted = true;
    this.#seenAtMs ??= seenAtMs;
    if (this.#isRunning) return false;
    this.#isRunning = true;
    let hasChanged = false;
    try {
      while (this.#isWanted && !this.#parts.signal.aborted) {
        this.#isWanted = false;
        await this.#removal.written;
        hasChanged = (await this.#reloadSafely(replaced)) || hasChanged;
        await turn();
      }
    } finally {
      this.#isRunning = false;
    }
    this.#removal.begin();
    return hasChanged;
  }

  /** Whatever fails (a full disk, a folder that cannot be written): a proxy that serves goes on serving. */
  async #reloadSafely(replaced: AbortSignal | undefined): Promise<boolean> {
    this.#mustRetry = false;
    try {
      const hasChanged = await this.#reloadOnce(this.#seenAtMs ?? performance.now(), replaced);
      this.#seenAtMs = undefined;
      return hasChanged;
    } catch (error) {
      if (this.#parts.signal.aborted || error instanceof ReplacedCompilation) return false;
      // The listeners that stay ask for the secrets that they had.
      this.#parts.serveSecrets(this.current);
      const world = { reason: 'world' as const, objects: [] as NamedObject[] };
      const { reason, objects } = error instanceof NotInForce ? error : world;
      this.#problems.refuse(reason, causes(error as Error), objects);
      this.#mustRetry = reason === 'world' || reason === 'not-shown';
      if (!this.#mustRetry) this.#seenAtMs = undefined;
      // An Envoy that does not answer does so no sooner for other files.
      return reason !== 'not-shown' && (await this.#renewKeys());
    }
  }

  /** Whatever the inputs have become: a key that its issuer has withdrawn opens nothing any more. */
  async #renewKeys(): Promise<boolean> {
    const { log, signal } = this.#parts;
    try {
      const result = await this.#parts.renew();
      if (result === undefined || signal.aborted) return false;
      if ('failure' in result) throw result.failure;
      if ('problems' in result) throw new Error(result.problems.join('\n'));
      if (isSame(this.current, result.files)) return false;
      await this.#take(result);
      log.info(
        'configuration in force, the last valid one with the new keys of token issuers',
        versionsOf(result.files),
      );
      this.#problems.endKeys();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#parts.serveSecrets(this.current);
      this.#problems.refuseKeys(causes(error as Error));
      this.#mustRetry = true;
      return false;
    }
  }

  async #reloadOnce(seenAtMs: number, replaced: AbortSignal | undefined): Promise<boolean> {
    const startedAt = performance.now();
    const result = await this.#compile(replaced);
    const compiledAt = performance.now();
    const { isUnchanged, validatedAt } = await this.#take(result);
    const { log, observer } = this.#parts;
    const ms = Math.round(performance.now() - seenAtMs);
    const hasEnded = this.#problems.end(result.held);
    const changes = changedPolicies(result.changes);
    if (!isUnchanged) log.info('configuration in force', { ...versionsOf(result.files), ms, ...changes });
    else log.info(hasEnded ? 'configuration mended, as it was before' : 'configuration unchanged', changes);
    log.debug('steps of the reload, in milliseconds', {
      seen: Math.round(startedAt - seenAtMs),
      compiled: Math.round(compiledAt - startedAt),
      validated: Math.round(validatedAt - compiledAt),
      replaced: Math.round(performance.now() - validatedAt),
    });
    observer.inForce(ms);
    return !isUnchanged;
  }

  /** Puts files in force, where they differ from those that are. Throws where that cannot be done. */
  async #take({ files: next, accept }: CompiledFiles): Promise<{ isUnchanged: boolean; validatedAt: number }> {
    if (this.#isTorn) await this.#restore();
    const { admin, log, serveSecrets, files } = this.#parts;
    // Before the listeners that ask for them; a new certificate comes without any other change.
    serveSecrets(next);
    const isUnchanged = isSame(this.current, next);
    const hasNewBootstrap = bootstrapText(next.bootstrap) !== bootstrapText(this.current.bootstrap);
    // Asked for while another Envoy judges: in a big mesh the answer takes as long as a small compilation.
    const refusals = isUnchanged ? Promise.resolve(0) : readRefusals(admin);
    refusals.catch(() => undefined);
    // A new bootstrap too: an Envoy that crashes is started again with it.
    if (hasNewBootstrap || !isUnchanged) await this.#check(next);
    const validatedAt = performance.now();
    if (hasNewBootstrap) log.warn('the bootstrap has changed; that takes effect when the agent starts again');
    if (isUnchanged) {
      await files.writeBeside(next);
      this.#active.replace(next);
    } else {
      await this.#replace(next, await refusals);
    }
    accept?.();
    return { isUnchanged, validatedAt };
  }

  async #compile(replaced: AbortSignal | undefined): Promise<CompiledFiles> {
    this.#parts.observer.started();
    const result = await this.#parts.compile(replaced);
    if (result.inputs !== undefined) this.#parts.followInputs(result.inputs);
    if ('failure' in result) throw result.failure;
    if ('problems' in result) throw new NotInForce('invalid', result.problems.join('\n'), result.objects);
    this.#problems.tell(result);
    return result;
  }

  /** Throws when this proxy cannot use the files, or Envoy would not, or would not hear of them. */
  async #check(next: ProxyFiles): Promise<void> {
    await this.#parts.files.checkFolder();
    const fault = this.#parts.check(next);
    if (fault !== undefined) throw new NotInForce('unusable', fault);
    const shared = await this.#parts.findSharedPort(this.current, next);
    if (shared !== undefined) {
      const suspects = await suspectsNamedIn(shared, this.current, next);
      throw new NotInForce('unusable', `${shared}${formatSuspects(suspects)}`, suspects);
    }
    const { validate, signal } = this.#parts;
    const refusal = await judge(this.current, next, (config) => validate(config, signal));
    if (refusal === undefined) return;
    const { message, suspects } = refusal;
    throw new NotInForce('envoy-refused', `Envoy refuses it: ${message}${formatSuspects(suspects)}`, suspects);
  }

  async #replace(next: ProxyFiles, refusals: number): Promise<void> {
    const { files, signal } = this.#parts;
    const replacement = await files.prepare(this.current, next);
    try {
      await replacement.run((expected) => this.#wait(next, expected, refusals));
    } catch (error) {
      if (!signal.aborted) await this.#restore().catch(() => undefined);
      throw error;
    }
    this.#active.replace(next);
  }

  /** Writes the current files again; when that fails, the next reload begins with it. */
  async #restore(): Promise<void> {
    this.#isTorn = true;
    try {
      await this.#parts.files.restore(this.current);
      this.#isTorn = false;
    } catch (error) {
      this.#parts.log.error(`the last valid configuration cannot be written back: ${causes(error as Error)}`);
      throw error;
    }
  }

  async #wait(next: ProxyFiles, expected: ExpectedVersions, refusalsBefore: number): Promise<void> {
    const { admin, signal, stepTimeoutMs } = this.#parts;
    const result = await waitInForce(admin, expected, { timeoutMs: stepTimeoutMs, signal, refusalsBefore });
    if (result.isInForce) return;
    const details = result.isRefused ? await refusalDetails(admin) : '';
    const suspects = result.isRefused ? await suspectsNamedIn(details, this.current, next) : [];
    const reason = result.isRefused ? 'Envoy refused it' : 'Envoy does not show it';
    const text = [`${reason}: ${result.missing.join('; ')}`, details].filter((part) => part !== '').join(': ');
    throw new NotInForce(
      result.isRefused ? 'envoy-refused' : 'not-shown',
      `${text}${formatSuspects(suspects)}`,
      suspects,
    );
  }
}
