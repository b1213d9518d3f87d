import type { IncomingMessage } from 'node:http';
import { noTarget, readTarget, sendReply } from '../../debug/debug-reply.ts';
import { requestLimits } from '../../server/request-limits.ts';
import { proveSocketPath, startSocketServer } from '../../server/socket-server.ts';

export interface RegistrationReply {
  /** Of HTTP. */
  readonly status: number;
  readonly body: object;
}

/** What requests do. */
export interface Registrations {
  list(): readonly object[];
  /** Adds or replaces the objects of one name. */
  put(name: string, text: string): RegistrationReply;
  delete(name: string): RegistrationReply;
}

const longestBody = 64 << 20;
const bodyMs = 30_000;
const name = 'the socket of registrations';

/**
 * Serves `GET /registrations`, and `PUT` and `DELETE /registrations/NAME`, on a Unix socket with mode 0600. `ControlError`
 * where it cannot be served.
 */
export function serveRegistrations(path: string, registrations: Registrations): Promise<{ close(): Promise<void> }> {
  const limits = requestLimits(bodyMs);
  return startSocketServer({ path, name, limits }, (request, response) => {
    void sendReply(response, answerTo(request, registrations));
  });
}

/** `ControlError` where registrations could not be served there now. */
export function proveRegistrationSocket(path: string): Promise<void> {
  return proveSocketPath({ path, name });
}

async function answerTo(request: IncomingMessage, registrations: Registrations): Promise<RegistrationReply> {
  const { method = '', url } = request;
  const target = readTarget(url);
  const body = await bodyOf(request);
  if (target === undefined) return noTarget;
  const [, name] = /^\/registrations(?:\/([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?))?$/.exec(target.pathname) ?? [];
  const isList = target.pathname === '/registrations';
  if (isList && method === 'GET') return { status: 200, body: { registrations: registrations.list() } };
  if (name !== undefined && method === 'PUT') {
    return body === undefined
      ? { status: 413, body: { error: `a registration has ${longestBody} bytes at most` } }
      : registrations.put(name, body);
  }
  if (name !== undefined && method === 'DELETE') return registrations.delete(name);
  const expected = 'GET /registrations, PUT /registrations/NAME or DELETE /registrations/NAME is expected';
  return { status: 404, body: { error: `there is no ${method} ${target.pathname}; ${expected}` } };
}

/** Undefined: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
  }
  return length <= longestBody ? Buffer.concat(chunks).toString() : undefined;
}
