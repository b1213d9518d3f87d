import { createServer, type IncomingMessage } from 'node:http';
import { prepareSocketPath } from '../../xds/socket.ts';
import { ControlError } from '../control-error.ts';

/** What the debug server tells; `undefined`: there is no such thing. */
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

/** Status of HTTP, and what becomes JSON. */
export interface DebugReply {
  readonly status: number;
  readonly body: object;
}

const longestQuery = 8_192;

/** Serves what only who runs `meshd` may see, as JSON over HTTP on a Unix socket that nobody else can open. */
export async function startDebugServer({
  path,
  answers,
  actions,
}: DebugServerOptions): Promise<{ close(): Promise<void> }> {
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: longestQuery },
    (request, response) => {
      request.resume();
      void answerTo(request, answers, actions).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
      });
    },
  );
  server.maxConnections = 32;
  try {
    const place = await prepareSocketPath(path);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place.bindPath, resolve);
    });
    await place.finish();
  } catch (cause) {
    server.close();
    throw new ControlError('listen-failed', `cannot serve the debug socket "${path}"`, { cause });
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What is answered to a request; what fails is 503, and what there is not 404. */
export async function answerTo(
  { method, url = '/' }: IncomingMessage,
  answers: DebugAnswers,
  actions: DebugAnswers,
): Promise<DebugReply> {
  const { pathname, searchParams } = new URL(url, 'http://meshd');
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
    return body === undefined ? { status: 404, body: { error: 'there is no such proxy' } } : { status: 200, body };
  } catch (error) {
    return { status: 503, body: { error: (error as Error).message } };
  }
}
