import { stat } from 'node:fs/promises';
import type { ProxyCompiler } from '../contracts/compile-result.ts';
import { CompileThread, type ThreadOptions } from './aside/thread.ts';
import { createCompileProxy } from './compile-proxy.ts';
import { type GoodState, InputsTooLarge, type ProxyInputs } from './proxy-inputs.ts';

/**
 * Inputs of at most this many characters are compiled by the main thread: `first` before a configuration is active, when no
 * probe depends on a quick answer, and `later` afterwards. Another thread costs 0.1 s and 30 MiB.
 */
const ownThread = { first: 524_288, later: 16_384 };

/** A compile function, and what ends its thread. */
export interface CompileAside extends ProxyCompiler {
  close(): Promise<void>;
}

/**
 * Compiles small inputs in the main thread. Larger inputs, and inputs with templates of the user, whose cost does not depend
 * on their size, start another thread, which then compiles everything.
 */
export function createCompileAside(inputs: ProxyInputs, options: ThreadOptions = {}): CompileAside {
  let good: GoodState | undefined;
  let thread: CompileThread | undefined;
  const limit = (): number => (good === undefined ? ownThread.first : ownThread.later);
  const onAccept = (state: GoodState): void => {
    good = state;
  };
  let here =
    inputs.templateFile === undefined ? createCompileProxy({ ...inputs, onAccept, maxCharacters: limit }) : undefined;
  return {
    compile: async (replaced) => {
      try {
        if (here !== undefined && (await bytesOf(inputs.watched)) <= limit()) return await here.compile();
      } catch (error) {
        if (!(error instanceof InputsTooLarge)) throw error;
      }
      here = undefined;
      if (thread === undefined) {
        thread = new CompileThread(inputs, good, { heapMiB: heapOf(inputs.memoryLimitBytes), ...options });
        good = undefined;
      }
      return thread.compile(replaced);
    },
    renew: async () => (here ?? thread)?.renew(),
    close: async () => thread?.close(),
  };
}

/** What the thread may take of a container's memory, in MiB. */
function heapOf(memoryBytes: number | undefined): number | undefined {
  return memoryBytes === undefined ? undefined : Math.max(64, Math.floor(memoryBytes / 2 / 2 ** 20));
}

/** Of those that are there. */
async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
