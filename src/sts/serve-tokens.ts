import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import { callerProblem } from './caller.ts';
import { accessTokenType } from './names.ts';
import { readBody } from './read-body.ts';
import { ExchangeError, type TokenManager } from './token-manager.ts';
import { parseTokenRequest } from './token-request.ts';

/** The token service, serving. */
export interface TokenServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface TokenServerOptions {
  readonly host: '127.0.0.1' | '::1';
  /** 0 takes a free one. */
  readonly port: number;
  /** Undefined: every request for a token fails. */
  readonly manager: TokenManager | undefined;
  readonly clock: Clock;
  /** Hear of requests; no message holds a token. */
  readonly onRefused?: (problem: string) => void;
  readonly onFailed?: (problem: string) => void;
  readonly onGranted?: () => void;
}

/**
 * Serves `POST /token` (RFC 8693), and what was had lately at `GET /stsStatus` and `/dump`, to programs of this machine. One
 * request a connection, each bounded in time and size. Throws the system's error when the port cannot be had.
 */
export async function serveTokens(options: TokenServerOptions): Promise<TokenServer> {
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 8_192 },
    (request, response) => {
      response.shouldKeepAlive = false;
      void answer(request, response, options);
    },
  );
  server.maxConnections = 64;
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        options.manager?.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, { host, port }: TokenServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, options: TokenServerOptions): Promise<void> {
  const { method = '', url = '', rawHeaders, socket } = request;
  const refuse = (status: number, problem: string): void => {
    options.onRefused?.(problem);
    sendError(response, status, 'invalid_request', problem);
  };
  const strange = callerProblem({ remoteAddress: socket.remoteAddress, rawHeaders });
  if (strange !== undefined) return refuse(403, strange);
  const [path] = url.split('?');
  if (path === '/stsStatus' || path === '/dump') {
    if (method === 'GET') return sendDump(response, options.manager);
    return send(response, 405, 'text/plain', 'only GET\n', { allow: 'GET' });
  }
  if (path !== '/token') return send(response, 404, 'text/plain', 'not found\n');
  const problem = headerProblem(request);
  if (problem !== undefined) return refuse(400, problem);
  const body = await readBody(request);
  if (body === 'gone') return;
  if (body === 'too long') return refuse(413, 'the body is longer than 64 KiB');
  const parsed = parseTokenRequest(body, options.clock.wallMs());
  if (parsed.problem !== undefined) return refuse(400, parsed.problem);
  return exchange(parsed.request, response, options);
}

function headerProblem({ method = '', headers }: IncomingMessage): string | undefined {
  if (method !== 'POST') return `the method is ${method.slice(0, 16)}, and must be POST`;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    return 'Content-Type must be application/x-www-form-urlencoded';
  if (!['', 'identity'].includes(headers['content-encoding'] ?? '')) return 'the body may not be compressed';
  return undefined;
}

async function exchange(
  request: Parameters<TokenManager['exchange']>[0],
  response: ServerResponse,
  { manager, clock, onFailed, onGranted }: TokenServerOptions,
): Promise<void> {
  const fail = (problem: string): void => {
    onFailed?.(problem);
    sendError(response, 500, 'invalid_target', problem, { 'retry-after': '1' });
  };
  if (manager === undefined) return fail(noPlugin);
  try {
    const { token, expiresAtMs } = await manager.exchange(request);
    onGranted?.();
    // Every key is always there, in this order: clients of Istio may count on it.
    sendJson(response, 200, {
      access_token: token,
      issued_token_type: accessTokenType,
      token_type: 'Bearer',
      expires_in: Math.max(0, Math.floor((expiresAtMs - clock.wallMs()) / 1000)),
      scope: '',
      refresh_token: '',
    });
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    fail(error.message);
  }
}

const noPlugin = 'no token manager plug-in is there';

function sendDump(response: ServerResponse, manager: TokenManager | undefined): void {
  if (manager === undefined) {
    send(response, 500, 'text/plain', `${noPlugin}\n`);
    return;
  }
  const tokens = manager.records().map(({ kind, issuedAtMs, expiresAtMs }) => ({
    token_type: kind,
    issue_time: new Date(issuedAtMs).toISOString(),
    expire_time: new Date(expiresAtMs).toISOString(),
    token: '',
  }));
  sendJson(response, 200, { tokens });
}

function sendError(
  response: ServerResponse,
  status: number,
  error: 'invalid_request' | 'invalid_target',
  description: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, status, { error, error_description: description.slice(0, 256), error_uri: '' }, headers);
}

function sendJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  send(response, status, 'application/json', JSON.stringify(body), headers);
}

/** No answer is for a cache (RFC 6749, section 5.1). */
function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-length': Buffer.byteLength(body),
      ...headers,
    })
    .end(body);
}
