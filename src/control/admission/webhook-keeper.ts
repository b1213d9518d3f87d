import type { KubernetesApi } from '../../kubernetes/api.ts';
import type { Term } from '../../kubernetes/election.ts';
import { Reflector } from '../../kubernetes/reflector.ts';
import { type ApiObject, pathOf, type ResourceType } from '../../kubernetes/resource-type.ts';
import { delay, longestTimerMs } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { Attempts } from '../leader/attempts.ts';
import { proveCall } from './prove-call.ts';
import {
  type ConfiguredWebhook,
  isAdvisory,
  mutatingConfigurations,
  patchOf,
  validatingConfigurations,
  webhooksOf,
} from './webhook-configuration.ts';

export interface WebhookKeeperOptions {
  readonly api: KubernetesApi;
  /** NAMESPACE: in which a trial takes place. */
  readonly namespace: string;
  /** Of the control plane. */
  readonly revision: string;
  /** Names of the configurations; an empty one: nobody's. */
  readonly names: { readonly mutating: string; readonly validating: string };
  /** PEM, of the moment; undefined: the server certificate is not of our CA, and who wrote the configuration knows its roots. */
  readonly roots: () => string | undefined;
  readonly log: PlainLog;
  /** Between two trials; the first is made at once. */
  readonly trialMs?: number;
}

const usualTrialMs = 5_000;
const deadlineMs = 10_000;

/**
 * Keeps the configurations of our webhooks, as long as a term lasts: each has the roots of the CA of now, and the validating one
 * the failure policy `Fail` once the API server has been seen to ask us. Before that an object would be refused because
 * nobody answers; after it none is stored unseen. Nothing takes `Fail` away again, but from webhooks that only advise: those
 * always have `Ignore`, also where an older meshd has written something else.
 */
export class WebhookKeeper {
  readonly #options: WebhookKeeperOptions;
  readonly #now = new Map<ResourceType, ApiObject>();
  #woken = new AbortController();

  constructor(options: WebhookKeeperOptions) {
    this.#options = options;
  }

  /** The roots are others. */
  changed(): void {
    this.#woken.abort();
  }

  /** Resolves when the term has ended. */
  async run(term: Term): Promise<void> {
    const { names } = this.#options;
    const reflectors = [
      ...(names.mutating === '' ? [] : [this.#follow(mutatingConfigurations, names.mutating)]),
      ...(names.validating === '' ? [] : [this.#follow(validatingConfigurations, names.validating)]),
    ];
    for (const reflector of reflectors) reflector.start();
    await this.#keep(term);
    for (const reflector of reflectors) reflector.close();
    this.#now.clear();
  }

  async #keep(term: Term): Promise<void> {
    const { api, roots, log, trialMs = usualTrialMs } = this.#options;
    const writing = new Attempts(log, 'the configuration of a webhook cannot be written');
    while (term.holds) {
      this.#woken = new AbortController();
      let isDone = true;
      for (const [type, configuration] of this.#now) {
        const isProven = type === validatingConfigurations && (await this.#prove(configuration, term));
        const patch = patchOf(configuration, { roots: roots(), isProven });
        if (patch === undefined || !term.holds) continue;
        const path = `${pathOf(type, undefined, configuration.metadata.name)}?fieldManager=meshd`;
        const contentType = 'application/strategic-merge-patch+json';
        // What comes of it is heard as any other change; of a revision that is no more, too.
        const isWritten = await writing.make(async () => {
          await api.ask({ method: 'PATCH', path, body: patch, contentType, signal: term.signal, deadlineMs });
          log.info('the configuration of a webhook was written', { name: configuration.metadata.name, isProven });
        });
        isDone &&= isWritten;
      }
      const waitMs = isDone && !this.#isUnproven ? longestTimerMs : trialMs;
      await delay(waitMs, AbortSignal.any([this.#woken.signal, term.signal]));
    }
  }

  /** Whether the API server asks us about the objects of this configuration; not asked again once it says `Fail`. */
  async #prove(configuration: ApiObject, { signal }: Term): Promise<boolean> {
    const { api, namespace, revision, roots, log } = this.#options;
    const webhooks = refusingOf(configuration);
    if (webhooks.every(hasFail)) return false;
    // With other roots nobody would trust us.
    if (patchOf(configuration, { roots: roots(), isProven: false }) !== undefined) return false;
    const names = webhooks.map(({ name }) => name);
    const problem = await proveCall(api, { namespace, names, revision, signal });
    if (problem !== undefined) log.debug('the API server does not ask the validating webhook yet', { reason: problem });
    return problem === undefined;
  }

  get #isUnproven(): boolean {
    const configuration = this.#now.get(validatingConfigurations);
    return configuration !== undefined && !refusingOf(configuration).every(hasFail);
  }

  #follow(type: ResourceType, name: string): Reflector {
    const { api, log } = this.#options;
    const set = (object: ApiObject): void => {
      this.#now.set(type, object);
      this.#woken.abort();
    };
    return new Reflector({
      ...{ api, type, name },
      sink: {
        set,
        delete: () => void this.#now.delete(type),
        replace: ([object]) => {
          this.#now.delete(type);
          if (object !== undefined) set(object);
          else log.info('there is no configuration of this name; nobody asks this webhook', { kind: type.kind, name });
        },
        unserved: () => undefined,
      },
      onState: ({ problem }) => {
        if (problem !== undefined)
          log.warn('the configuration of a webhook is not followed now', { name, reason: problem });
      },
    });
  }
}

/** The webhooks that may refuse objects. */
function refusingOf(configuration: ApiObject): readonly ConfiguredWebhook[] {
  return webhooksOf(configuration).filter((webhook) => !isAdvisory(webhook));
}

function hasFail({ failurePolicy }: ConfiguredWebhook): boolean {
  return failurePolicy === 'Fail';
}
