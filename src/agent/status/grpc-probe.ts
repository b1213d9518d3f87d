import { connect } from 'node:http2';
import type { GrpcProbe } from './app-probe.ts';
import { dial, type PodAddresses } from './dial.ts';

/** SERVING of grpc.health.v1.HealthCheckResponse.ServingStatus. */
const serving = 1;
/** A status and nothing else: 7 bytes. */
const maxAnswerBytes = 1_024;

/**
 * Whether `grpc.health.v1.Health/Check` says SERVING (https://github.com/grpc/grpc/blob/master/doc/health-checking.md).
 * Over HTTP/2 itself: one message of one field does not need a gRPC library, and the connection is ours to make. Throws
 * when there is no answer.
 */
export async function probeGrpc(
  { port, service }: GrpcProbe,
  addresses: PodAddresses,
  signal: AbortSignal,
): Promise<boolean> {
  const socket = await dial(addresses, port, signal);
  const session = connect(`http://localhost:${port}`, { createConnection: () => socket });
  const stop = (): void => session.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<boolean>((resolve, reject) => {
      session.on('error', reject);
      session.once('close', () => reject(signal.aborted ? signal.reason : new Error('the connection was closed')));
      const stream = session.request({
        ':method': 'POST',
        ':path': '/grpc.health.v1.Health/Check',
        'content-type': 'application/grpc',
        te: 'trailers',
        'user-agent': 'mesh-agent-probe',
      });
      let status: string | undefined;
      const note = (headers: Record<string, unknown>): void => {
        if (headers['grpc-status'] !== undefined) status = String(headers['grpc-status']);
      };
      const parts: Buffer[] = [];
      let length = 0;
      stream.on('response', note);
      stream.on('trailers', note);
      stream.on('data', (part: Buffer) => {
        length += part.length;
        if (length > maxAnswerBytes) session.destroy();
        else parts.push(part);
      });
      stream.on('error', reject);
      stream.once('close', () => resolve(status === '0' && servingStatus(Buffer.concat(parts)) === serving));
      stream.end(checkRequest(service));
    });
  } finally {
    signal.removeEventListener('abort', stop);
    session.destroy();
    socket.destroy();
  }
}

/** HealthCheckRequest in a frame of gRPC: not compressed, length, then field 1, a string. */
function checkRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** Field 1 of HealthCheckResponse, an enumeration; 0, its default, when absent or unreadable. */
function servingStatus(frame: Buffer): number {
  return frame.length === 7 && frame[0] === 0 && frame[5] === 0x08 ? (frame[6] ?? 0) : 0;
}
