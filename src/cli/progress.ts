import type { OnStep } from '../lib/on-step.ts';

/** One line of a terminal that says how far the work is. */
export interface Progress {
  readonly step: OnStep;
  /** Takes the line away; whatever else is written comes after that. */
  clear(): void;
}

/** Where progress is shown. */
export interface ProgressTerminal {
  readonly columns: number;
  readonly write: (text: string) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Shorter work shows nothing. */
const silentMs = 500;
/** A terminal that is written to at each step would cost more than the work. */
const pauseMs = 100;

/** Shows work that goes on for more than half a second; a step costs a look at the clock. */
export function createProgress({ columns, write, now }: ProgressTerminal): Progress {
  let due = now() + silentMs;
  let isShown = false;
  return {
    step: (what, done, total) => {
      const time = now();
      if (time < due) return;
      due = time + pauseMs;
      isShown = true;
      const text = total === undefined ? `${what} ${done}` : `${what} ${done} of ${total}`;
      // The cursor goes back: whatever ends the program, the next line of the terminal stands over this one.
      write(`\r\x1b[K${text.slice(0, Math.max(columns - 1, 0))}\r`);
    },
    clear: () => {
      if (isShown) write('\r\x1b[K');
      isShown = false;
    },
  };
}

/** Whether a person looks at the stream: a terminal that can go back in a line, and no job of CI. */
export function showsProgress(
  stream: { readonly isTTY?: boolean },
  { CI, TERM }: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && !CI && TERM !== undefined && TERM !== '' && TERM !== 'dumb';
}
