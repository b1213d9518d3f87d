/** A message as it travels over a stream: after its length in two octets (RFC 1035 4.2.2). */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Takes the chunks of a stream, gives the messages in them. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Whole messages, the last one ending in this chunk; a longer rest than one message is never kept. */
  push(chunk: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    while (this.#rest.length >= 2) {
      const end = 2 + this.#rest.readUInt16BE(0);
      if (this.#rest.length < end) break;
      messages.push(this.#rest.subarray(2, end));
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }
}
