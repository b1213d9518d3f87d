import { isIPv4 } from 'node:net';
import { addressBytes } from './address-bytes.ts';
import { ednsRecord, type Query, smallLetters } from './message.ts';

/** Numbers of record types (RFC 1035 3.2.2, RFC 3596). */
export const recordType = { A: 1, CNAME: 5, SOA: 6, AAAA: 28, ANY: 255 } as const;

/** A record to be written; names are labels. */
export type DnsRecord =
  | { readonly type: 'address'; readonly owner: readonly string[]; readonly ttl: number; readonly address: string }
  | {
      readonly type: 'CNAME';
      readonly owner: readonly string[];
      readonly ttl: number;
      readonly target: readonly string[];
    }
  | { readonly type: 'SOA'; readonly owner: readonly string[]; readonly ttl: number; readonly soa: StartOfAuthority };

/** RFC 1035 3.3.13; times in seconds. */
export interface StartOfAuthority {
  readonly server: readonly string[];
  readonly mailbox: readonly string[];
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

/** Records of an answer, by section. */
export interface AnswerSections {
  readonly code: number;
  readonly answers: readonly DnsRecord[];
  readonly authority: readonly DnsRecord[];
}

/** No message of DNS is longer. */
const longestMessage = 65_535;
/** An offset that a pointer can say. */
const longestOffset = 0x3fff;

/** Writes an authoritative answer to a query; answers that no message has room for are left out, and it is marked as cut. */
export function writeAnswer(query: Query, { code, answers, authority }: AnswerSections): Buffer {
  const writer = new MessageWriter(query.bytes.subarray(0, query.questionEnd));
  const edns = query.hasEdns ? ednsRecord(0) : Buffer.alloc(0);
  const room = longestMessage - edns.length;
  const kept = answers.findIndex((record) => !writer.add(record, room));
  const added = authority.filter((record) => writer.add(record, room)).length;
  const message = Buffer.concat([writer.bytes, edns]);
  // An answer, authoritative, cut or not; "recursion desired" is the client's.
  message.writeUInt8(0x84 | (kept === -1 ? 0 : 0x02) | (query.bytes.readUInt8(2) & 0x01), 2);
  message.writeUInt8(code, 3);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(kept === -1 ? answers.length : kept, 6);
  message.writeUInt16BE(added, 8);
  message.writeUInt16BE(query.hasEdns ? 1 : 0, 10);
  return message;
}

/** A message whose names are written once, and pointed to where they come again (RFC 1035 4.1.4). */
class MessageWriter {
  readonly #parts: Buffer[];
  readonly #offsets = new Map<string, number>();
  #length: number;

  /** `start` is the header with the question, whose name begins at octet 12. */
  constructor(start: Buffer) {
    this.#parts = [Buffer.from(start)];
    this.#length = start.length;
    for (let at = 12; start[at] !== undefined && start[at] !== 0; at += 1 + (start[at] ?? 0)) {
      this.#offsets.set(smallLetters(start.toString('latin1', at, start.length - 4)), at);
    }
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** False, and nothing is written, where the message would be longer than `room`. */
  add(record: DnsRecord, room: number): boolean {
    const start = this.#length;
    const owner = this.#name(record.owner, start);
    const data = this.#dataOf(record, start + owner.length + 10);
    if (start + owner.length + 10 + data.length > room) return false;
    const head = Buffer.alloc(10);
    head.writeUInt16BE(numberOf(record), 0);
    head.writeUInt16BE(1, 2);
    head.writeUInt32BE(record.ttl, 4);
    head.writeUInt16BE(data.length, 8);
    this.#parts.push(owner, head, data);
    this.#length = start + owner.length + 10 + data.length;
    return true;
  }

  #dataOf(record: DnsRecord, at: number): Buffer {
    if (record.type === 'address') return addressBytes(record.address);
    if (record.type === 'CNAME') return this.#name(record.target, at);
    const { server, mailbox, serial, refresh, retry, expire, minimum } = record.soa;
    const first = this.#name(server, at);
    const second = this.#name(mailbox, at + first.length);
    const numbers = Buffer.alloc(20);
    for (const [i, number] of [serial, refresh, retry, expire, minimum].entries()) numbers.writeUInt32BE(number, i * 4);
    return Buffer.concat([first, second, numbers]);
  }

  /** A name that is to stand at the offset. */
  #name(labels: readonly string[], at: number): Buffer {
    const wire = labels.map((label) => String.fromCharCode(label.length) + label);
    const parts: Buffer[] = [];
    for (let i = 0, offset = at; i < wire.length; i++) {
      const rest = `${wire.slice(i).join('')}\0`;
      const known = this.#offsets.get(rest);
      if (known !== undefined) {
        parts.push(Buffer.from([0xc0 | (known >> 8), known & 0xff]));
        return Buffer.concat(parts);
      }
      if (offset <= longestOffset) this.#offsets.set(rest, offset);
      const part = Buffer.from(wire[i] as string, 'latin1');
      parts.push(part);
      offset += part.length;
    }
    parts.push(Buffer.from([0]));
    return Buffer.concat(parts);
  }
}

function numberOf(record: DnsRecord): number {
  if (record.type !== 'address') return recordType[record.type];
  return isIPv4(record.address) ? recordType.A : recordType.AAAA;
}
