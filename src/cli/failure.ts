import { causesText, isWorldFailure } from '../lib/failure.ts';
import { isUsageError } from '../lib/usage-error.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';

/** What is printed for a thrown error, and the exit code that goes with it. */
export function explainFailure(thrown: unknown, program: string): { readonly text: string; readonly code: ExitCode } {
  if (isUsageError(thrown)) return { text: `${program}: ${thrown.message}\n`, code: exitCode.usage };
  if (thrown instanceof RangeError && thrown.message === 'Invalid string length') {
    return { text: `${program}: ${tooLong}\n`, code: exitCode.world };
  }
  if (isOfTheWorld(thrown)) return { text: `${program}: ${causesText(thrown)}\n`, code: exitCode.world };
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { text: `${program}: this is a bug, please report it\n${stack}\n`, code: exitCode.bug };
}

/** V8 has no longer texts. */
const tooLong =
  'the output is longer than the longest text that can be written (512 MiB): compile fewer workloads (--workload), or fewer services';

/** Rooms throw a `WorldFailure`; the system's errors name the call that failed. */
function isOfTheWorld(thrown: unknown): thrown is Error {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (isWorldFailure(error) || 'syscall' in error) return true;
  }
  return false;
}
