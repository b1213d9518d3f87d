import type { Fleet } from '../../live/fleet.ts';
import type { FleetState } from '../../live/fleet-state.ts';
import type { StateFile } from './state-file.ts';

/** The active state, and its inputs. */
export interface InForce {
  readonly state: FleetState;
  readonly objects: Fleet['objects'];
}

const gatherMs = 5_000;
const hourMs = 3_600_000;

/** Writes the active state to its file: security policies at once, other changes collected, and once an hour in any case. */
export class StateKeeper {
  readonly #file: StateFile;
  readonly #failed: (error: Error) => void;
  #last: InForce | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: StateFile, failed: (error: Error) => void) {
    this.#file = file;
    this.#failed = failed;
  }

  /** Is in force from now on; with `isUrgent`, the file says so when the promise resolves. */
  async keep(inForce: InForce, isUrgent: boolean): Promise<void> {
    const isWaiting = this.#isDirty;
    this.#last = inForce;
    this.#isDirty = true;
    if (isUrgent) await this.flush();
    else if (!isWaiting) this.#writeIn(gatherMs);
  }

  /** Writes what is not written yet. */
  async flush(): Promise<void> {
    if (this.#isDirty) this.#write();
    await this.#writing;
  }

  #write(): void {
    const inForce = this.#last;
    if (inForce === undefined) return;
    this.#isDirty = false;
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#file.write(inForce.state, inForce.objects);
      } catch (error) {
        this.#failed(error as Error);
      }
    });
    this.#writeIn(hourMs);
  }

  #writeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), ms).unref();
  }
}
