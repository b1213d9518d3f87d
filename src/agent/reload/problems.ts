import type { CompiledFiles, HeldObjects } from '../../contracts/compile-result.ts';
import type { NamedObject } from '../../contracts/named-object.ts';
import type { Log } from '../log/log.ts';
import type { RefusalReason, ReloadObserver } from './observer.ts';

/** What keeps the inputs from being in force as they are. Each problem is said once, however often it is met. */
export class Problems {
  readonly #log: Log;
  readonly #observer: ReloadObserver;
  #refused = '';
  #held = '';
  #warnings = '';
  #alarms = '';
  #keys = '';

  constructor(log: Log, observer: ReloadObserver) {
    this.#log = log;
    this.#observer = observer;
  }

  /** What is wrong with inputs that could be compiled. */
  tell({ warnings, alarms = [] }: Pick<CompiledFiles, 'warnings' | 'alarms'>): void {
    const log = this.#log.scope('validation');
    this.#alarms = sayOther(alarms, this.#alarms, (text) => log.error(text));
    this.#warnings = sayOther(warnings, this.#warnings, (text) => log.warn(text));
  }

  /** A change was not taken. */
  refuse(reason: RefusalReason, problem: string, objects: readonly NamedObject[]): void {
    this.#observer.refused(reason, objects);
    if (problem !== this.#refused) {
      this.#log.error(`the change is not taken, the last valid configuration stays in force: ${problem}`);
    }
    this.#refused = problem;
  }

  /** The keys of token issuers, which do not wait for the inputs to be mended, stay what they were. */
  refuseKeys(problem: string): void {
    if (problem !== this.#keys) {
      this.#log.error(`new keys of token issuers are not in force, a withdrawn key may still be accepted: ${problem}`);
    }
    this.#keys = problem;
  }

  /** They are in force, or nothing is refused. */
  endKeys(): void {
    this.#keys = '';
  }

  /** The inputs are in force, but for the objects that are held. Gives true when there was a problem, and none is left. */
  end(held: HeldObjects | undefined): boolean {
    this.#observer.held(held?.objects ?? []);
    const problem = held?.problem ?? '';
    const hasEnded = problem === '' && (this.#refused !== '' || this.#held !== '');
    if (held !== undefined && problem !== this.#held) {
      const names = held.objects.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(', ');
      this.#log.error(`the last valid version of ${names} stays in force: ${problem}`);
    }
    this.#refused = '';
    this.endKeys();
    this.#held = problem;
    return hasEnded;
  }
}

/** Says the texts where they are others than before; gives what the next ones are compared with. */
function sayOther(texts: readonly string[], before: string, say: (text: string) => void): string {
  const text = texts.join('\n');
  // The last line counts files, of which there may be another one.
  const compared = text.replace(/\n[^\n]*$/, '');
  if (compared !== '' && compared !== before) say(text);
  return compared;
}
