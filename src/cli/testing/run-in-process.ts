import { EventEmitter } from 'node:events';
import { vi } from 'vitest';
import { listenForSignals } from '../../agent/life/signals.ts';
import type { ProgramContext } from '../agent/program-context.ts';

/** Exit code and both outputs of one command line of a program, which runs in this process. */
export async function runInProcess(
  run: (argv: readonly string[], context: ProgramContext) => Promise<number>,
  line: string,
  environment: Readonly<Record<string, string>> = {},
) {
  let stdout = '';
  let stderr = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text, taken?: unknown) => {
    stdout += text;
    if (typeof taken === 'function') taken();
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text, taken?: unknown) => {
    stderr += text;
    if (typeof taken === 'function') taken();
    return true;
  });
  try {
    const argv = line.split(' ').filter((word) => word !== '');
    const code = await run(argv, { environment, signals: listenForSignals(new EventEmitter()) });
    return { code, stdout, stderr };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}
