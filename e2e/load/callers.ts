import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type PeerCertificate } from 'node:tls';
import type { Manner } from './counts.ts';
import type { LoadTarget, LoadTls } from './order.ts';

export interface LoadAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One client of one target. It obeys `Connection: close` and GOAWAY, opens a new connection when it has none, and
 * makes each request once. Rejects with whatever the connection fails with.
 */
export interface Caller {
  call(path: string): Promise<LoadAnswer>;
  /** No more calls come; those in flight finish. */
  retire(): void;
}

/** Hears of what a caller does with connections. */
export interface CallerObserver {
  opened(): void;
  /** GOAWAY came before the request was sent: it goes to the next connection. */
  moved(): void;
}

/** A client of this manner. */
export function createCaller(
  manner: Manner,
  target: LoadTarget,
  tls: LoadTls | undefined,
  observer: CallerObserver,
): Caller {
  if (manner === 'http2') return http2Caller(target, tls, observer);
  return http1Caller(manner === 'keep-alive', target, tls, observer);
}

function http1Caller(
  isKept: boolean,
  { host, port }: LoadTarget,
  tls: LoadTls | undefined,
  { opened }: CallerObserver,
): Caller {
  // All kept connections take their turn, so that none is idle for long.
  const options = { keepAlive: isKept, scheduling: 'fifo' as const };
  const secured = tls && { ...options, ...tlsOptions(tls, ['mesh-http/1.1', 'http/1.1']) };
  const agent = secured === undefined ? new Agent(options) : new TlsAgent(secured);
  const seen = new WeakSet<Socket>();
  return {
    call: (path) =>
      new Promise((resolve, reject) => {
        const request: ClientRequest = (tls ? requestHttps : requestHttp)({ host, port, path, agent });
        request.on('socket', (socket) => {
          if (!seen.has(socket)) opened();
          seen.add(socket);
        });
        request.on('error', reject);
        request.on('response', (response: IncomingMessage) => {
          let body = '';
          response.on('data', (chunk) => (body += chunk));
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        });
        request.end();
      }),
    retire: () => undefined,
  };
}

function http2Caller(target: LoadTarget, tls: LoadTls | undefined, { opened, moved }: CallerObserver): Caller {
  const leaving = new WeakSet<ClientHttp2Session>();
  let current: ClientHttp2Session | undefined;
  let running = 0;
  let isRetired = false;
  const session = (): ClientHttp2Session => {
    // After GOAWAY Node closes the session by itself, once its streams have ended.
    if (current !== undefined && !current.closed && !current.destroyed) return current;
    opened();
    const made = openSession(target, tls);
    made.on('goaway', () => leaving.add(made));
    current = made;
    return made;
  };
  const send = async (path: string): Promise<LoadAnswer> => {
    const used = session();
    try {
      return await callStream(used, path);
    } catch (error) {
      // Not a retry: what Node still holds when it reads GOAWAY it refuses by itself; the server has not seen it.
      if (!leaving.has(used) || !String(error).includes('NGHTTP2_REFUSED_STREAM')) throw error;
      moved();
      return callStream(session(), path);
    }
  };
  // A session that is closed while it connects would refuse what waits for it.
  const closeIdle = (): void => {
    if (isRetired && running === 0) current?.close();
  };
  const call = (path: string): Promise<LoadAnswer> => {
    running += 1;
    return send(path).finally(() => {
      running -= 1;
      closeIdle();
    });
  };
  const retire = (): void => {
    isRetired = true;
    closeIdle();
  };
  return { call, retire };
}

function openSession({ host, port }: LoadTarget, tls: LoadTls | undefined): ClientHttp2Session {
  const authority = `${tls ? 'https' : 'http'}://${host}:${port}`;
  // Node would say `h2` alone; the sidecar knows its own by the mesh's token beside it.
  const createConnection = tls && (() => connectTls({ host, port, ...tlsOptions(tls, ['mesh-h2', 'h2']) }));
  const session = connectHttp2(authority, createConnection && { createConnection });
  // Its streams tell the same.
  session.on('error', () => undefined);
  return session;
}

function callStream(session: ClientHttp2Session, path: string): Promise<LoadAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path });
    let status = 0;
    let body = '';
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('data', (chunk) => (body += chunk));
    stream.on('error', reject);
    // Without an answer the end says nothing: the reason comes with the error, or the close.
    stream.on('end', () => status !== 0 && resolve({ status, body }));
    stream.on('close', () => reject(new Error(`stream closed with ${resetName(stream.rstCode)}`)));
    stream.end();
  });
}

function resetName(code: number | undefined): string {
  return code === constants.NGHTTP2_REFUSED_STREAM ? 'NGHTTP2_REFUSED_STREAM' : String(code);
}

/** The server's name is a URI, which Node does not compare by itself. */
function tlsOptions({ cert, key, ca, serverId }: LoadTls, protocols: string[]): ConnectionOptions {
  const checkServerIdentity = (_host: string, { subjectaltname }: PeerCertificate): Error | undefined =>
    subjectaltname === `URI:${serverId}` ? undefined : new Error(`the server is ${subjectaltname}`);
  return { cert, key, ca, ALPNProtocols: protocols, checkServerIdentity };
}
