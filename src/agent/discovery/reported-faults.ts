import type { DeltaResponse } from '../../xds/message.ts';
import { faultText } from '../../xds/proxy-faults.ts';
import type { Log } from '../log/log.ts';

/** Logs what the control plane says of invalid objects that concern this proxy: once, and when it is over. */
export class ReportedFaults {
  readonly #log: Log;
  readonly #texts = new Map<string, string>();
  #isFirst = true;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A stream to the control plane begins; its first response has all faults. */
  begin(): void {
    this.#isFirst = true;
  }

  take({ resources, removed }: DeltaResponse): void {
    const named = new Set(resources.map(({ name }) => name));
    const gone = this.#isFirst ? [...this.#texts.keys()].filter((name) => !named.has(name)) : removed;
    this.#isFirst = false;
    for (const name of gone) {
      const text = this.#texts.get(name);
      if (this.#texts.delete(name))
        this.#log.info('an invalid object no longer concerns this proxy', { fault: text ?? '' });
    }
    for (const { name, body } of resources) {
      const text = faultText(body) ?? 'an object is invalid';
      if (this.#texts.get(name) === text) continue;
      this.#texts.set(name, text);
      this.#log.error('this proxy does not have what the policies say', { fault: text });
    }
  }
}
