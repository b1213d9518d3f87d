import { EventEmitter } from 'node:events';
import { vi } from 'vitest';
import { listenForSignals } from '../../../agent/life/signals.ts';
import { runPilotAgent } from '../pilot-agent.ts';

/** Exit code and both outputs of one command line of `pilot-agent`, which runs in this process. */
export async function runLine(line: string, environment: Readonly<Record<string, string>> = {}) {
  let stdout = '';
  let stderr = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text, taken?: unknown) => {
    stdout += text;
    if (typeof taken === 'function') taken();
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  try {
    const argv = line.split(' ').filter((word) => word !== '');
    const code = await runPilotAgent(argv, { environment, signals: listenForSignals(new EventEmitter()) });
    return { code, stdout, stderr };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}
