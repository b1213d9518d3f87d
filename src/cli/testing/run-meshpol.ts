import type { CliIo } from '../io.ts';
import { runMeshpol } from '../meshpol.ts';

/** Exit code and both outputs of one command line of `meshpol`, words apart by spaces or in a list, with a text as its standard input. */
export async function run(
  args: string | readonly string[],
  stdin = '',
  environment: Readonly<Record<string, string>> = {},
  io: Partial<CliIo> = {},
): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  const printed = { out: '', error: '' };
  const code = await runMeshpol(typeof args === 'string' ? args.split(' ').filter((word) => word !== '') : args, {
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    environment,
    writeOut: async (text) => {
      printed.out += text;
    },
    writeError: async (text) => {
      printed.error += text;
    },
    untilStopped: (work) => work(new AbortController().signal),
    ...io,
  });
  return { code, ...printed };
}
