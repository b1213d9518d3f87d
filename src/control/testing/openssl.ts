import { spawnSync } from 'node:child_process';

/** What an openssl command prints on both outputs, and its exit code. */
export function openssl(
  argv: readonly string[],
  input = '',
): { readonly output: string; readonly code: number | null } {
  const { stdout, stderr, status } = spawnSync('openssl', argv, { input, encoding: 'utf8' });
  return { output: stdout + stderr, code: status };
}
