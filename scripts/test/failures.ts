/** A failed test, hook or file, or an error outside of tests. */
export interface Failure {
  /** The file and the full name, or where the error came from. */
  readonly what: string;
  readonly errors: readonly { readonly message: string; readonly at?: string | undefined }[];
}

/** Longer messages (whole configurations, logs) are cut, so that the last page of a log names every failure. */
const longest = 1_500;

/** The failures of a run as text, for the end of its output, where a log that is cut in its middle still has them. */
export function failuresAsText(run: string, failures: readonly Failure[]): string {
  if (failures.length === 0) return '';
  const texts = failures.map(({ what, errors }) => [`FAILED ${what}`, ...errors.map(errorAsText)].join('\n'));
  return `\nWhat failed (run "${run}"):\n${texts.join('\n')}\n`;
}

function errorAsText({ message, at }: Failure['errors'][number]): string {
  const cut = message.length > longest ? `${message.slice(0, longest)} … (${message.length} characters)` : message;
  return [...cut.split('\n'), ...(at ? [at] : [])].map((line) => `  ${line}`).join('\n');
}
