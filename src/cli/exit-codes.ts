/** What a program's exit code says. */
export const exitCode = {
  done: 0,
  /** The answer is no: invalid input, a difference, a failed test. */
  no: 1,
  usage: 2,
  /** The world failed: a file, a port, a missing program. */
  world: 3,
  bug: 70,
  /** Redirection is not in force: Istio's code. */
  notRedirected: 126,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
