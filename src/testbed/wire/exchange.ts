import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { WireAnswer } from './answer.ts';
import { readHttp1 } from './http1.ts';
import { readHttp2 } from './http2.ts';

/** One connection with one request of any bytes. Plain JSON: it goes to another process. */
export interface WireRequest {
  readonly host: string;
  readonly port: number;
  readonly version: 1 | 2;
  /** What is sent, base64. */
  readonly bytes: string;
  readonly tls?: WireTls;
}

export interface WireTls {
  readonly servername: string;
  /** PEM of a client certificate with its key. */
  readonly certificateChain?: string;
  readonly privateKey?: string;
}

const silenceMs = 5_000;

/** Sends the bytes on a connection of their own and gives what came back; never rejects. */
export function exchange(request: WireRequest): Promise<WireAnswer> {
  const read = request.version === 1 ? readHttp1 : readHttp2;
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    let reason = '';
    const socket = open(request);
    const end = (answer: WireAnswer): void => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(silenceMs, () => end({ status: 'silence', body: '' }));
    socket.on(request.tls === undefined ? 'connect' : 'secureConnect', () =>
      socket.write(Buffer.from(request.bytes, 'base64')),
    );
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answer = read(Buffer.concat(chunks));
      if (answer !== undefined) end(answer);
    });
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      reason = code ?? message;
    });
    socket.on('close', () => end({ status: 'closed', body: reason }));
  });
}

/** The certificate of the server is of no interest here. */
function open({ host, port, version, tls }: WireRequest): Socket {
  if (tls === undefined) return connect({ host, port });
  const { servername, certificateChain: cert, privateKey: key } = tls;
  const identity = cert === undefined ? {} : { cert, key };
  const ALPNProtocols = [version === 1 ? 'http/1.1' : 'h2'];
  return connectTls({ host, port, servername, ALPNProtocols, rejectUnauthorized: false, ...identity });
}
