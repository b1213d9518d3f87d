/** The same in each bundle: commands are bundled apart from the program, with a class of their own. */
const usageCode = 'wrong-usage';

/** The command line or a setting is wrong in a way that only who uses it can see; the message says what was expected. */
export class UsageError extends Error {
  readonly code = usageCode;
}

/** Whether a value that was thrown is a `UsageError`, of whichever bundle. */
export function isUsageError(thrown: unknown): thrown is UsageError {
  return thrown instanceof Error && 'code' in thrown && thrown.code === usageCode;
}
