import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { decode, encode, type Packet } from 'dns-packet';
import type { IssuedCertificate } from '../../testing/certificates.ts';
import { freePort } from '../../testing/free-ports.ts';
import type { ServerAddress } from '../exchange.ts';
import { FrameReader, frame } from '../frames.ts';

/** What a double does with a query: the bytes that it sends, one message each; nothing keeps the client waiting. */
export type Reply = (query: Packet, send: (message: Buffer) => void, way: Way) => void;

/** How a query came. */
export interface Way {
  /** Of TCP and TLS. */
  readonly connection?: Socket;
  /** The asker's port, of UDP. */
  readonly port?: number;
}

/** Gives no answer. */
export const silent: Reply = () => undefined;

/** A DNS server of a test, on loopback. */
export interface DnsDouble {
  readonly port: number;
  /** Names asked for, with the transport, in the order of their coming: `udp a.example`. */
  readonly heard: string[];
  /** TCP connections that were made. */
  connections: number;
  reply: Reply;
  close(): Promise<void>;
}

/** Over UDP and TCP on one port, a free one unless told otherwise; with a certificate over TLS alone. */
export async function startDouble(
  reply: Reply,
  certificate?: IssuedCertificate,
  where?: ServerAddress,
): Promise<DnsDouble> {
  const { address, port } = where ?? { address: '127.0.0.1', port: await freePort() };
  const sockets = new Set<Socket>();
  const hear = (transport: string, message: Buffer, send: (answer: Buffer) => void, way: Way): void => {
    const query = decode(message);
    double.heard.push(`${transport} ${query.questions?.[0]?.name}`);
    double.reply(query, send, way);
  };
  const onConnection = (socket: Socket): void => {
    double.connections += 1;
    sockets.add(socket);
    const reader = new FrameReader();
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      for (const message of reader.push(chunk)) {
        hear(certificate ? 'tls' : 'tcp', message, (answer) => socket.write(frame(answer)), { connection: socket });
      }
    });
  };
  const tcp: Server =
    certificate === undefined
      ? createServer(onConnection)
      : createTlsServer({ cert: certificate.certificateChain, key: certificate.privateKey }, onConnection);
  tcp.on('tlsClientError', () => undefined);
  await once(tcp.listen(port, address), 'listening');
  const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  udp.on('message', (message: Buffer, { port: from, address: client }: RemoteInfo) =>
    hear('udp', message, (answer) => tcp.listening && udp.send(answer, from, client), { port: from }),
  );
  if (certificate === undefined) await once(udp.bind(port, address), 'listening');
  const double: DnsDouble = {
    port,
    heard: [],
    connections: 0,
    reply,
    close: async () => {
      if (!tcp.listening) return;
      udp.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
  return double;
}

/** Answers every query for an address with this one. */
export function withAddress(address: string): Reply {
  return (query, send) =>
    send(answerTo(query, { answers: [{ type: 'A', name: nameOf(query), ttl: 30, data: address }] }));
}

/** Answers with this code, and nothing. */
export function withCode(code: number): Reply {
  return (query, send) => send(answerTo(query, { flags: code }));
}

/** Answers with one record that makes the message as long as said, in octets. */
export function withSize(size: number): Reply {
  return (query, send) => {
    const of = (length: number): Buffer =>
      answerTo(query, { answers: [{ type: 'NULL', name: nameOf(query), data: Buffer.alloc(length) }] });
    send(of(size - of(0).length));
  };
}

/** An answer to the query, with its id and question. */
export function answerTo(query: Packet, changes: Packet): Buffer {
  return encode({ type: 'response', id: query.id ?? 0, questions: query.questions ?? [], ...changes });
}

function nameOf(query: Packet): string {
  return query.questions?.[0]?.name ?? '';
}
