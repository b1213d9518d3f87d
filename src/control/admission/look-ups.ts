import type { PlainLog } from '../../lib/log.ts';
import type { ServingNames, ServingObjects } from '../../live/others-objects.ts';
import type { NamespaceTexts } from './admission-messages.ts';

export interface LookUpOptions {
  readonly log: Pick<PlainLog, 'error'>;
  /** Undefined: nothing is known of the namespace. */
  readonly labelsOf: (namespace: string) => Promise<NamespaceTexts | undefined>;
  /** Which of the objects there are; absent: nobody knows. */
  readonly servingOf?: (names: ServingNames) => Promise<ServingObjects | 'unknown'>;
}

/** Finds what a review needs beside its object. What cannot be found is logged, and is not known. */
export class LookUps {
  readonly #options: LookUpOptions;

  constructor(options: LookUpOptions) {
    this.#options = options;
  }

  async labelsOf(namespace: string): Promise<NamespaceTexts | undefined> {
    const { labelsOf, log } = this.#options;
    try {
      return await labelsOf(namespace);
    } catch (error) {
      log.error('the labels of a namespace could not be found', { namespace, reason: reasonOf(error) });
      return undefined;
    }
  }

  async servingOf(names: ServingNames): Promise<ServingObjects | 'unknown'> {
    const { servingOf, log } = this.#options;
    try {
      return (await servingOf?.(names)) ?? 'unknown';
    } catch (error) {
      log.error('who serves an object of the Gateway API could not be found', { reason: reasonOf(error) });
      return 'unknown';
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
