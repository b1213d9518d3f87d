import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Of a request's head, and of what may come before it. */
const maxHeadBytes = 8_192;
/** Of what follows the head: a body, or more requests; nothing here reads either. */
const maxIgnoredBytes = 65_536;

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * A connection of which its reader sees the head of the first request and no byte more, while it writes to the socket
 * itself: one packet may hold thousands of requests, which a parser of HTTP takes all before anything else gets its turn.
 * Beyond the bounds on bytes the connection is closed.
 */
export class FirstRequest extends Duplex {
  /** As the socket had them when it was taken. */
  readonly remoteAddress: string | undefined;
  readonly localAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly localPort: number | undefined;
  readonly #socket: Socket;
  readonly #onHead: () => void;
  /** Undefined once it is whole. */
  #head: Buffer | undefined = Buffer.alloc(0);
  #bytes = 0;

  /** `onHead` is called once, when the head is whole. */
  constructor(socket: Socket, onHead: () => void) {
    super();
    this.remoteAddress = socket.remoteAddress;
    this.localAddress = socket.localAddress;
    this.remotePort = socket.remotePort;
    this.localPort = socket.localPort;
    this.#socket = socket;
    this.#onHead = onHead;
    socket.on('data', (part: Buffer) => this.#take(part));
    // Whoever has asked may close its half and still read the answer.
    socket.once('end', () => this.#head !== undefined && socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => this.destroy());
  }

  #take(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#head === undefined) {
      if (this.#bytes > maxIgnoredBytes) this.#socket.destroy();
      return;
    }
    const head = withoutBlankLines(Buffer.concat([this.#head, part.subarray(0, maxHeadBytes)]));
    const end = headEnd(head, Math.max(0, this.#head.length - 3));
    if (end > maxHeadBytes || (end < 0 && this.#bytes > maxHeadBytes)) {
      this.#head = undefined;
      this.#socket.write('HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n');
      this.#socket.destroySoon();
    } else if (end < 0) {
      this.#head = head;
    } else {
      this.#head = undefined;
      this.#onHead();
      this.push(head.subarray(0, end));
    }
  }

  override _read(): void {}

  override _write(part: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(part, done);
  }

  override _final(done: () => void): void {
    this.#socket.destroySoon();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** RFC 9112 section 2.2: empty lines before a request are ignored. */
function withoutBlankLines(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== newline && byte !== carriageReturn);
  return bytes.subarray(start < 0 ? bytes.length : start);
}

/** Behind the first empty line; -1 where there is none yet. What does not begin like a method is whole: nothing mends it. */
function headEnd(bytes: Buffer, from: number): number {
  const [first = 0x41] = bytes;
  if (first < 0x41 || first > 0x7a) return bytes.length;
  for (let i = bytes.indexOf(newline, from); i >= 0; i = bytes.indexOf(newline, i + 1)) {
    if (bytes[i + 1] === newline) return i + 2;
    if (bytes[i + 1] === carriageReturn && bytes[i + 2] === newline) return i + 3;
  }
  return -1;
}
