import type { IncomingMessage } from 'node:http';
import { requestLimits } from '../server/request-limits.ts';
import { startSocketServer } from '../server/socket-server.ts';
import { type DebugReply, noTarget, readTarget, sendReply } from './debug-reply.ts';

/** Answers by path; `undefined`: there is no such thing (404). */
export type DebugAnswers = Readonly<
  Record<string, (query: URLSearchParams) => Promise<object | undefined> | object | undefined>
>;

export interface DebugServerOptions {
  /** Path of a Unix socket, which gets mode 0600. */
  readonly path: string;
  /** By path, for GET. */
  readonly answers: DebugAnswers;
  /** By path, for POST: what changes something. */
  readonly actions: DebugAnswers;
}

const longestQuery = 8_192;
/** The one that asks about an object; all others ask about a proxy. */
const objectPath = '/debug/config_distribution';

/** Serves debug answers as JSON over HTTP, on a Unix socket that only the user that runs `meshd` can open. */
export function startDebugServer({ path, answers, actions }: DebugServerOptions): Promise<{ close(): Promise<void> }> {
  const limits = { ...requestLimits(10_000), maxHeaderSize: longestQuery };
  return startSocketServer({ path, name: 'the debug socket', limits }, (request, response) => {
    request.resume();
    void sendReply(response, answerTo(request, answers, actions));
  });
}

/** Answers a request: 404 for an unknown path or object, 400 for an invalid target, 503 for a failure. */
export async function answerTo(
  { method, url = '/' }: IncomingMessage,
  answers: DebugAnswers,
  actions: DebugAnswers,
): Promise<DebugReply> {
  const target = readTarget(url);
  if (target === undefined) return noTarget;
  const { pathname, searchParams } = target;
  const of = method === 'POST' ? actions : answers;
  const find = Object.hasOwn(of, pathname) ? of[pathname] : undefined;
  if (find === undefined || (method !== 'GET' && method !== 'POST')) {
    return {
      status: 404,
      body: { error: `there is no ${method} ${pathname}; there are: ${Object.keys(of).join(', ')}` },
    };
  }
  try {
    const body = await find(searchParams);
    if (body !== undefined) return { status: 200, body };
    return { status: 404, body: { error: `there is no such ${pathname === objectPath ? 'object' : 'proxy'}` } };
  } catch (error) {
    return { status: 503, body: { error: (error as Error).message } };
  }
}
