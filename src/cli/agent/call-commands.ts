import type { Command } from 'commander';
import { WorldFailure } from '../../lib/failure.ts';
import { addLoggingFlags } from './flags.ts';
import type { ProgramContext } from './program-context.ts';
import { wholeNumber } from './values.ts';
import type { WaitArguments } from './wait.ts';

/** Adds the commands that call what a running agent, or its Envoy, serves on loopback. */
export function addCallCommands(program: Command, context: ProgramContext, finish: (code: number) => void): void {
  const request = program
    .command('request')
    .description("send a request to Envoy's admin interface, and print the answer")
    .argument('<method>', 'HTTP method, sent as typed: Envoy expects upper case')
    .argument('<path>', 'path and query, with or without the leading slash; escape special characters (%20) yourself')
    .argument('[body]', 'body of the request, sent without a Content-Type')
    .showHelpAfterError('(pilot-agent request --help says more)')
    .allowExcessArguments(false)
    .option(
      '--debug-port <port>',
      "port to send the request to: 15000 (Envoy's admin interface), 15020 (the agent), 15021 (readiness) or 15004 (accepted as in Istio: nothing listens there)",
      wholeNumber,
      15000,
    );
  addLoggingFlags(request).action(async (method: string, path: string, body: string | undefined, options: object) => {
    context.signals.release();
    const { debugPort } = options as { readonly debugPort: number };
    const { runRequest } = await import('./request.ts');
    finish(await runRequest({ method, path, body: body ?? '', debugPort }, { stdout: writeOut, stderr: writeError }));
  });
  const wait = program
    .command('wait')
    .description('wait until the proxy is ready')
    .showHelpAfterError('(pilot-agent wait --help says more)')
    .allowExcessArguments(false)
    .option('--timeoutSeconds <seconds>', 'longest time to wait; 0: one request only', wholeNumber, 60)
    .option('--requestTimeoutMillis <milliseconds>', 'timeout of one request', wholeNumber, 500)
    .option('--periodMillis <milliseconds>', 'time between two requests', wholeNumber, 500)
    .option('--url <url>', 'URL to request; the status 200 means ready', 'http://localhost:15021/healthz/ready');
  addLoggingFlags(wait).action(async (options: object) => {
    context.signals.release();
    const { runWait } = await import('./wait.ts');
    finish(await runWait(options as WaitArguments, writeError));
  });
}

function writeOut(part: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(part, (cause) => {
      if (!cause) resolve();
      // `request` ends in peace when its reader went away.
      else if ((cause as NodeJS.ErrnoException).code === 'EPIPE') reject(cause);
      else reject(new WorldFailure('output-unwritable', 'cannot write to standard output', { cause }));
    });
  });
}

function writeError(text: string): void {
  process.stderr.write(text);
}
