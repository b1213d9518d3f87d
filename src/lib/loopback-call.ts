import { type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { firstAnswer } from './first-answer.ts';

/** One call, on a connection of its own. */
export interface LoopbackCall {
  readonly url: URL;
  /** As the request line has it; the URL would clean it up. */
  readonly path: string;
  /** Sent as it is typed. */
  readonly method: string;
  readonly body: string;
  /** For the whole exchange, the reading of the answer's body included. */
  readonly signal: AbortSignal;
}

/** `localhost` is not the same everywhere: programs listen on one family or on both, and files of hosts name either. */
const loopback = ['127.0.0.1', '::1'];

/**
 * Calls `url`; where its host is `localhost`, whichever loopback family takes the connection. Gives the answer with its
 * body still to be read. Throws the system's error of the first family when nobody takes it.
 */
export async function callLoopback(call: LoopbackCall): Promise<IncomingMessage> {
  const { hostname } = call.url;
  if (hostname !== 'localhost') return callHost(call, hostname.replace(/^\[(.*)\]$/, '$1'));
  const [first = '', second = ''] = loopback;
  try {
    return await callHost(call, first);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return await callHost(call, second).catch((other: unknown) => {
      throw isUnreachable(other) ? error : other;
    });
  }
}

function isUnreachable(error: unknown): boolean {
  return ['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EAFNOSUPPORT'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}

async function callHost({ url, path, method, body, signal }: LoopbackCall, host: string): Promise<IncomingMessage> {
  const headers: OutgoingHttpHeaders = { host: url.host, connection: 'close' };
  if (body !== '' || /^(post|put|patch)$/i.test(method)) headers['content-length'] = Buffer.byteLength(body);
  const options: RequestOptions = { host, port: url.port, method, path, headers, agent: false, signal };
  const outgoing = url.protocol === 'https:' ? requestTls(options) : request(options);
  // Node has made it upper case; Envoy itself knows upper case alone, and it is for Envoy to say so.
  outgoing.method = method;
  const answer = firstAnswer(outgoing);
  outgoing.end(body);
  try {
    return await answer;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
