import type { IncomingMessage } from 'node:http';
import { isWorldFailure, WorldFailure } from '../../lib/failure.ts';
import { isToken } from '../../lib/header-text.ts';
import { callLoopback } from '../../lib/loopback-call.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { exitCode } from '../exit-codes.ts';

export interface RequestArguments {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly debugPort: number;
}

/** Where `request` writes. */
export interface RequestOutput {
  /** Takes one part; resolves when there is room for more, and rejects when nobody reads any more. */
  readonly stdout: (part: Buffer) => Promise<void>;
  readonly stderr: (text: string) => void;
}

/** Admin interface, status port, readiness, and the port of debugging. */
const debugPorts = [15000, 15020, 15021, 15004];
const timeoutMs = 60_000;
/** Of the body of an error, which may be a page. */
const maxErrorBytes = 65_536;

/**
 * Runs `pilot-agent request`: the body of the answer and one line end on standard output, and nothing else there, as
 * programs parse it. 404 is an answer like others, as Istio has it; any other status from 400 on is 1. The world
 * is to blame (3, thrown) when nobody answers.
 */
export async function runRequest(
  { method, path, body, debugPort }: RequestArguments,
  output: RequestOutput,
): Promise<number> {
  if (!debugPorts.includes(debugPort)) {
    throw new UsageError(`--debug-port is one of ${debugPorts.join(', ')}, not ${debugPort}`);
  }
  if (!isToken(method)) throw new UsageError(`"${method}" is no method of HTTP`);
  const target = `/${path.replace(/^\//, '')}`;
  if (!/^[\x21-\x7e]+$/.test(target)) throw new UsageError('the path holds a character that must be %-encoded');
  const signal = AbortSignal.timeout(timeoutMs);
  const url = new URL(`http://localhost:${debugPort}`);
  try {
    const answer = await callLoopback({ url, path: target, method, body, signal });
    const { statusCode = 0 } = answer;
    if (statusCode >= 400 && statusCode !== 404) {
      const text = await readText(answer, maxErrorBytes);
      output.stderr(`pilot-agent: ${method} ${target} is answered ${statusCode}: ${text.trimEnd()}\n`);
      return exitCode.no;
    }
    for await (const part of answer) await output.stdout(part as Buffer);
    await output.stdout(Buffer.from('\n'));
    return exitCode.done;
  } catch (cause) {
    // Whoever read the beginning and went away has what was wanted (`| head`).
    if ((cause as NodeJS.ErrnoException).code === 'EPIPE') return exitCode.done;
    if (isWorldFailure(cause)) throw cause;
    const reason = signal.aborted ? ` within ${timeoutMs / 1_000} s` : '';
    throw new UnansweredError(`port ${debugPort} of this machine does not answer${reason}`, { cause });
  }
}

/** Nobody took the connection, or it broke before the answer's end. */
class UnansweredError extends WorldFailure<'request-unanswered'> {
  constructor(message: string, options?: ErrorOptions) {
    super('request-unanswered', message, options);
  }
}

/** The beginning of a body, as text. */
export async function readText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    parts.push(part as Buffer);
    length += (part as Buffer).length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString();
}
