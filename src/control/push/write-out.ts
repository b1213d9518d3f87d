import type { Worker } from 'node:worker_threads';
import { within } from '../../lib/abort.ts';
import type { FromCompiler, ToCompiler } from './compile-messages.ts';

const longestWriteMs = 2_000;

/** Resolves when the closing thread has written the active state or has ended, or after 2 s. */
export async function writeOut(worker: Worker): Promise<void> {
  const isWritten = new Promise<void>((resolve) => {
    worker.on('message', ({ type }: FromCompiler) => type === 'closed' && resolve());
    worker.on('exit', () => resolve());
  });
  const close: ToCompiler = { type: 'close' };
  worker.postMessage(close);
  await within(longestWriteMs, isWritten);
}
