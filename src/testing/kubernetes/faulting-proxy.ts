import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { createMeshCa } from '../certificates.ts';

/** What happens to a request: it passes, gets this answer, or its answer is changed on the way. */
export type Fault =
  | 'pass'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** The connection breaks after so many bytes of the body. */
  | { readonly cutAfter: number }
  /** Each part of the body becomes another. */
  | { readonly change: (text: string) => string };

export interface FaultingProxy {
  readonly port: number;
  /** Root of its certificate, PEM. */
  readonly ca: string;
  /** Decides on each request; by default all pass. */
  fault: (request: IncomingMessage) => Fault;
  /** Method and path of all requests so far. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A proxy before a real API server of a test, which makes what that server cannot be made to do. */
export async function startFaultingProxy(target: {
  readonly port: number;
  readonly ca: string;
}): Promise<FaultingProxy> {
  const ca = await createMeshCa();
  const { certificateChain, privateKey } = await ca.issue('spiffe://test/ns/a/sa/proxy', { addresses: ['127.0.0.1'] });
  const asked: string[] = [];
  const server = createServer({ cert: certificateChain, key: privateKey });
  const proxy: Omit<FaultingProxy, 'port'> = {
    ca: ca.rootCertificate,
    fault: () => 'pass',
    asked,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
  server.on('request', (incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const fault = proxy.fault(incoming);
    if (fault !== 'pass' && 'status' in fault) {
      incoming.resume();
      outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    } else {
      forward(incoming, outgoing, target, fault);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port });
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { port, ca }: { readonly port: number; readonly ca: string },
  fault: Exclude<Fault, { readonly status: number }>,
): void {
  const { method, url, headers } = incoming;
  const sent = request({ host: '127.0.0.1', port, ca, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, withoutLength(answer.headers));
    if (fault === 'pass') answer.pipe(outgoing);
    else answer.pipe(changed(fault, outgoing)).pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  incoming.pipe(sent);
}

function changed(fault: Exclude<Fault, 'pass' | { readonly status: number }>, outgoing: ServerResponse): Transform {
  let left = 'cutAfter' in fault ? fault.cutAfter : 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if ('change' in fault) return done(null, fault.change(chunk.toString('utf8')));
      if (chunk.length < left) {
        left -= chunk.length;
        return done(null, chunk);
      }
      this.push(chunk.subarray(0, left));
      // The bytes before the cut leave first.
      setTimeout(() => outgoing.destroy(), 20);
      return undefined;
    },
  });
}

function withoutLength({ 'content-length': _, ...headers }: IncomingMessage['headers']): IncomingMessage['headers'] {
  return headers;
}
