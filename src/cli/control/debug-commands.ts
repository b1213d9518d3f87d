import type { ProxiesAnswer, StatusAnswer, WhyAnswer } from '../../control/debug/answers.ts';
import { delay } from '../../lib/abort.ts';
import { WorldFailure } from '../../lib/failure.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import { askFormatted, askMeshd } from './ask-meshd.ts';
import { proxiesText, type Replica, statusText, whyText } from './debug-texts.ts';

export interface DebugOptions {
  readonly socket: readonly string[];
  readonly json?: true;
  readonly watch?: true;
}

/** Where a command writes, and until when it watches. */
export interface DebugIo {
  readonly write: (text: string) => Promise<void>;
  readonly stop: AbortSignal;
  /** With --watch: how often meshd is asked; each second by default. */
  readonly everyMs?: number;
}

/** `meshd status` */
export function runStatus(options: DebugOptions, io: DebugIo): Promise<ExitCode> {
  return repeat(options, io, async () => {
    const replicas = await askAll<StatusAnswer>(options, '/debug/status');
    return options.json ? jsonOf(replicas) : statusText(replicas);
  });
}

/** `meshd proxies` */
export function runProxies(options: DebugOptions, io: DebugIo): Promise<ExitCode> {
  return repeat(options, io, async () => {
    const replicas = await askAll<ProxiesAnswer>(options, '/debug/syncz');
    if (options.json) return jsonOf(replicas);
    return proxiesText(replicas.map(({ socket, answer }) => ({ socket, answer: answer.proxies })));
  });
}

/** `meshd why PROXY [RESOURCE]`: of the first replica that knows the proxy. */
export async function runWhy(
  proxy: string,
  name: string | undefined,
  options: DebugOptions,
  io: DebugIo,
): Promise<ExitCode> {
  if (!/^[^/]+\/[^/]+$/.test(proxy)) throw new UsageError(`a proxy is namespace/name, not "${proxy}"`);
  return repeat(options, io, async () => {
    const query = new URLSearchParams({ proxy, ...(name !== undefined && { name }) });
    const answers = await Promise.all(
      options.socket.map((socket) => askFormatted<WhyAnswer>(socket, `/debug/why?${query}`)),
    );
    const answer = answers.find((it) => it !== undefined);
    if (answer === undefined)
      throw new UsageError(`the mesh has no proxy ${proxy}; meshd proxies lists those that are connected`);
    if (name !== undefined && answer.resources.length === 0)
      throw new UsageError(`${proxy} has no listener, route, cluster or endpoints named "${name}"`);
    return options.json ? jsonOf(answer) : whyText(answer);
  });
}

/** `meshd forget KIND` */
export async function runForget(kind: string, options: DebugOptions, io: DebugIo): Promise<ExitCode> {
  const query = new URLSearchParams({ kind });
  for (const socket of options.socket) {
    const answer = await askMeshd<{ readonly objects: number }>(socket, 'POST', `/debug/forget?${query}`);
    const objects = answer?.objects ?? 0;
    await io.write(options.json ? jsonOf({ socket, kind, objects }) : `${objects} objects of ${kind} are forgotten\n`);
  }
  return exitCode.done;
}

async function askAll<T extends StatusAnswer | ProxiesAnswer>(
  { socket: sockets }: DebugOptions,
  path: string,
): Promise<readonly Replica<T>[]> {
  return Promise.all(
    sockets.map(async (socket) => {
      const answer = await askFormatted<T>(socket, path);
      if (answer === undefined) throw new Error(`meshd does not know ${path}`);
      return { socket, answer };
    }),
  );
}

/**
 * With --watch again and again, and whenever something differs it is written again. A meshd that has answered once may be away
 * for a while, or know the proxy no more, as one that has just started: that is written too.
 */
async function repeat(
  { watch, json }: DebugOptions,
  { write, stop, everyMs = 1_000 }: DebugIo,
  look: () => Promise<string>,
): Promise<ExitCode> {
  let before = '';
  const whyNot = (error: unknown): string => {
    const isForNow = error instanceof WorldFailure || error instanceof UsageError;
    if (!watch || before === '' || !isForNow) throw error;
    return json ? jsonOf({ error: error.message }) : `${error.message}\n`;
  };
  do {
    const text = await look().catch(whyNot);
    if (text !== before) await write(before === '' ? text : `\n${text}`);
    before = text;
    if (watch) await delay(everyMs, stop);
  } while (watch && !stop.aborted);
  return exitCode.done;
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
