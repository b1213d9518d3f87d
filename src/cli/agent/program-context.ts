import type { NodeWarnings } from '../../agent/life/node-warnings.ts';
import type { StopSignals } from '../../agent/life/signals.ts';

/** The process that a command runs in: variables, signals, warnings. */
export interface ProgramContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Taken before the program was loaded. */
  readonly signals: StopSignals;
  /** Of Node itself; a command that keeps a log tells them there. */
  readonly warnings?: NodeWarnings;
  /** From now on V8 takes more time for less memory; absent where the process is not a command's own. */
  readonly saveMemory?: () => void;
}
