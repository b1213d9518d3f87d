import { isIPv6 } from 'node:net';
import { smallLetters } from './message.ts';
import { type DnsRecord, recordType } from './message-writer.ts';

/** What a message answers: records of other types than these are left out, and counted. */
export interface ReadAnswer {
  readonly records: readonly Exclude<DnsRecord, { readonly type: 'SOA' }>[];
  readonly others: number;
  /** Of the section that says whose the name is. */
  readonly authorityCount: number;
}

const headerBytes = 12;
/** RFC 1035 2.3.4 */
const longestName = 255;

/** Reads the answer section of a message with one question; undefined: its bytes are no such message. */
export function readAnswer(message: Buffer): ReadAnswer | undefined {
  try {
    return new RecordReader(message).answer();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reading beyond the end throws `RangeError`, as buffers do. */
class RecordReader {
  readonly #message: Buffer;
  #at = headerBytes;

  constructor(message: Buffer) {
    this.#message = message;
  }

  answer(): ReadAnswer {
    const [questions, answers, authorityCount] = [4, 6, 8].map((at) => this.#message.readUInt16BE(at));
    if (questions !== 1) throw new RangeError('not one question');
    this.#name();
    this.#at += 4;
    const records: ReadAnswer['records'][number][] = [];
    for (let n = 0; n < (answers ?? 0); n++) {
      const record = this.#record();
      if (record !== undefined) records.push(record);
    }
    return { records, others: (answers ?? 0) - records.length, authorityCount: authorityCount ?? 0 };
  }

  /** Undefined: its type is another one. */
  #record(): ReadAnswer['records'][number] | undefined {
    const owner = this.#name();
    const message = this.#message;
    const [type, recordClass] = [message.readUInt16BE(this.#at), message.readUInt16BE(this.#at + 2)];
    const [ttl, length] = [message.readUInt32BE(this.#at + 4), message.readUInt16BE(this.#at + 8)];
    const start = this.#at + 10;
    const end = start + length;
    if (end > message.length) throw new RangeError('a record that is cut');
    this.#at = start;
    const target = type === recordType.CNAME ? this.#name() : undefined;
    this.#at = end;
    if (recordClass !== 1) return undefined;
    if (target !== undefined) return { type: 'CNAME', owner, ttl, target };
    const address = addressOf(type, message.subarray(start, end));
    return address === undefined ? undefined : { type: 'address', owner, ttl, address };
  }

  /** Labels in small letters; a pointer leads to what stands before it (RFC 1035 4.1.4), so none leads round. */
  #name(): readonly string[] {
    const labels: string[] = [];
    let [at, end, octets] = [this.#at, -1, 1];
    for (let length = this.#message.readUInt8(at); length !== 0; length = this.#message.readUInt8(at)) {
      if (length >= 0xc0) {
        const to = this.#message.readUInt16BE(at) & 0x3fff;
        if (to >= at) throw new RangeError('a pointer to what follows it');
        if (end === -1) end = at + 2;
        at = to;
        continue;
      }
      octets += 1 + length;
      if (length > 63 || octets > longestName || at + 1 + length > this.#message.length)
        throw new RangeError('no name');
      labels.push(smallLetters(this.#message.toString('latin1', at + 1, at + 1 + length)));
      at += 1 + length;
    }
    this.#at = end === -1 ? at + 1 : end;
    return labels;
  }
}

function addressOf(type: number, bytes: Buffer): string | undefined {
  if (type === recordType.A && bytes.length === 4) return bytes.join('.');
  if (type !== recordType.AAAA || bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  const address = groups.join(':');
  return isIPv6(address) ? address : undefined;
}
