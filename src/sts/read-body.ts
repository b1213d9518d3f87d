import type { IncomingMessage } from 'node:http';

/** A request for a token is shorter. */
const longestBytes = 65_536;
/** A longer body is not even read away. */
const mostDiscardedBytes = 1_048_576;

/** A body of at most 64 KiB. One that is too long is read away first: who is still sending would not see the answer. */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too long' | 'gone'> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length <= longestBytes) parts.push(part);
      else if (length > mostDiscardedBytes) request.socket.destroy();
    });
    request.once('end', () => resolve(length > longestBytes ? 'too long' : Buffer.concat(parts)));
    // After `end` this comes too late to matter.
    request.once('close', () => resolve('gone'));
    request.once('error', () => resolve('gone'));
  });
}
