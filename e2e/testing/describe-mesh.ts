import { describe } from 'vitest';
import { openSandbox } from '../../src/testbed/sandbox.ts';

/** `describe` for tests that need a testbed; skipped, with the reason on stderr, where no namespaces can be made. */
export const describeMesh = describe.skipIf((await obstacle()) !== undefined);

async function obstacle(): Promise<string | undefined> {
  try {
    await (await openSandbox()).close();
    return undefined;
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = `${message}: ${(cause as Error | undefined)?.message ?? 'no reason'}`;
    process.stderr.write(`SKIPPED: tests in network namespaces: ${reason}\n`);
    return reason;
  }
}
