import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type DecodedPacket, decode, encode, type RecordType } from 'dns-packet';
import { FrameReader, frame } from '../frames.ts';

export interface AskOptions {
  readonly id?: number;
  readonly type?: RecordType;
  /** Asks for answers of up to so many octets; no EDNS when absent. */
  readonly udpSize?: number;
  readonly tcp?: boolean;
  readonly address?: string;
}

/** What a client hears, with the octets of the answer and its code as DNS names it (`NOERROR`). */
export type Heard = DecodedPacket & { readonly rcode: string; readonly size: number };

/** A name of the mesh of `DnsBench`. */
export const meshName = 'reviews.shop.svc.cluster.local';

/** The data of an answer's records. */
export function addressesOf({ answers = [] }: Heard): unknown[] {
  return answers.map((answer) => 'data' in answer && answer.data);
}

/** Asks for a name as a client does. */
export async function ask(port: number, name: string, options: AskOptions = {}): Promise<Heard> {
  const { id = 4711, type = 'A', udpSize, tcp, address = '127.0.0.1' } = options;
  const query = encode({
    type: 'query',
    id,
    flags: 0x0100,
    questions: [{ type, name }],
    ...(udpSize !== undefined && {
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: udpSize,
          flags: 0,
          options: [],
          extendedRcode: 0,
          ednsVersion: 0,
        } as never,
      ],
    }),
  });
  return read(await (tcp ? sendTcp : sendUdp)(port, query, address));
}

export function read(message: Buffer): Heard {
  return { rcode: 'NOERROR', ...decode(message), size: message.length };
}

/** Sends bytes as they are, and gives the first ones that come back. */
export async function sendUdp(port: number, message: Buffer, address = '127.0.0.1'): Promise<Buffer> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.send(message, port, address);
    return ((await once(socket, 'message')) as [Buffer])[0];
  } finally {
    socket.close();
  }
}

async function sendTcp(port: number, message: Buffer, address: string): Promise<Buffer> {
  const [answer = Buffer.alloc(0)] = await sendAllTcp(port, [message], address);
  return answer;
}

/** Sends all messages at once over one connection, closes its own half, and gives what comes until the other is closed. */
export async function sendAllTcp(port: number, messages: readonly Buffer[], address = '127.0.0.1'): Promise<Buffer[]> {
  const socket = connect({ host: address, port, allowHalfOpen: true });
  const reader = new FrameReader();
  const answers: Buffer[] = [];
  socket.on('data', (chunk) => answers.push(...reader.push(chunk)));
  socket.end(Buffer.concat(messages.map(frame)));
  await once(socket, 'end');
  return answers;
}
