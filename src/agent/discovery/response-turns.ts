import type { LogFields } from '../../lib/log.ts';
import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { DeltaResponse } from '../../xds/message.ts';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import type { HeldConfiguration } from './configuration.ts';
import type { ListenerGuard } from './listener-guard.ts';
import type { ConfigurationObserver } from './observer.ts';

export interface ResponseTurnsParts {
  readonly held: HeldConfiguration;
  /** Says which listeners Envoy may not be served; absent: it is served all. */
  readonly guard?: Pick<ListenerGuard, 'faultsOf'> | undefined;
  readonly log: Log;
  readonly observer?: ConfigurationObserver | undefined;
}

type Response = Pick<DeltaResponse, 'resources' | 'removed'>;
type Answer = (refusal: string | undefined) => void;

/**
 * Takes what comes on the stream one after the other, in its order: it takes a while to find out who uses the ports of
 * listeners.
 */
export class ResponseTurns {
  readonly #parts: ResponseTurnsParts;
  #last = Promise.resolve();
  /** Fires when what has come is void: it is of another identity. */
  #void = new AbortController();
  #fail: (error: Error) => void = () => undefined;
  /** Rejects when the proxy cannot be, with its first listeners. */
  readonly failed: Promise<never> = new Promise((_, reject) => {
    this.#fail = reject;
  });

  constructor(parts: ResponseTurnsParts) {
    this.#parts = parts;
    this.failed.catch(() => undefined);
  }

  /** Does something after all that has come before, unless that is void by then. */
  run(task: () => void | Promise<void>): void {
    const { signal } = this.#void;
    this.#last = this.#last.then(async () => (signal.aborted ? undefined : task())).catch(this.#fail);
  }

  take(list: ConfigurationList, response: Response, answer: Answer): void {
    const { signal } = this.#void;
    this.run(async () => {
      const { held, guard } = this.#parts;
      const served = held.stores.listeners.view.all;
      let faults: ReadonlyMap<string, string> | undefined;
      try {
        faults = list === 'listeners' ? await guard?.faultsOf(served, response.resources) : undefined;
      } catch (error) {
        // Of the first listeners it ends the proxy; later ones are refused, or they would be missing without a word.
        this.#fail(error as Error);
        if (!(error instanceof AgentError))
          this.#tell('the ports of listeners cannot be looked at', { list, reason: String(error) });
        answer(String(error));
        return;
      }
      if (signal.aborted) return;
      for (const resource of response.resources) {
        const fault = faults?.get(resource.name);
        if (fault !== undefined) held.refuse(list, resource, fault);
      }
      const refuser = faults?.size
        ? 'the port of a listener is in use'
        : 'Envoy refuses configuration of the control plane';
      held.take(list, response, (refusal) => {
        if (refusal !== undefined) this.#tell(refuser, { list, reason: refusal });
        answer(refusal);
      });
    });
  }

  /** Nothing of what has come is served any more. */
  clear(): void {
    this.#void.abort();
    this.#void = new AbortController();
    this.#parts.held.clear();
  }

  async close(): Promise<void> {
    await this.#last;
  }

  #tell(message: string, fields: LogFields): void {
    this.#parts.log.error(message, fields);
    this.#parts.observer?.refused?.();
  }
}
