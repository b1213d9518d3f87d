/** A query with one question, as far as it must be understood to be passed on: its bytes stay as the client made them. */
export interface Query {
  readonly bytes: Buffer;
  readonly id: number;
  /** Labels of the name asked for, first one first, A to Z in small letters; one character an octet. */
  readonly labels: readonly string[];
  /** Where the question ends, an offset into the bytes. */
  readonly questionEnd: number;
  readonly hasEdns: boolean;
  /** Octets of an answer that the client takes over UDP: at least 512 (RFC 1035 4.2.1), more by EDNS (RFC 6891 6.2.3). */
  readonly udpSize: number;
}

/** RFC 1035 4.1.1 */
export const responseCode = { formatError: 1, serverFailure: 2, notImplemented: 4, refused: 5 } as const;

const headerBytes = 12;
const ednsType = 41;
/** One answer of many messages (RFC 5936, RFC 1995): zones are not passed on. */
const zoneTransfers: ReadonlySet<number> = new Set([251, 252]);

/**
 * Reads what a client sent. An answer instead of a query is what the client gets at once; undefined is a message that
 * must not be answered at all: no header, or itself an answer.
 */
export function parseQuery(bytes: Buffer): Query | Buffer | undefined {
  if (bytes.length < headerBytes || (bytes.readUInt8(2) & 0x80) !== 0) return undefined;
  const opcode = (bytes.readUInt8(2) >> 3) & 0x0f;
  if (opcode !== 0) return refusal(bytes, headerBytes, responseCode.notImplemented, false);
  const question = bytes.readUInt16BE(4) === 1 ? readQuestion(bytes) : undefined;
  if (question === undefined) return refusal(bytes, headerBytes, responseCode.formatError, false);
  const edns = findEdns(bytes, question.end);
  if (zoneTransfers.has(question.type)) {
    return refusal(bytes, question.end, responseCode.notImplemented, edns !== undefined);
  }
  return {
    bytes,
    id: bytes.readUInt16BE(0),
    labels: question.labels,
    questionEnd: question.end,
    hasEdns: edns !== undefined,
    udpSize: Math.max(512, edns?.udpSize ?? 0),
  };
}

/** The same message under another id. */
export function withId(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}

/** What a client hears when nobody could be asked: never that a name is not there, which it would remember. */
export function failureOf({ bytes, questionEnd, hasEdns }: Query): Buffer {
  return refusal(bytes, questionEnd, responseCode.serverFailure, hasEdns);
}

/**
 * Whether a message answers the question that was sent under `id`. A server that could not read the question (FORMERR)
 * does not have to repeat it.
 */
export function isAnswerTo(message: Buffer, id: number, query: Query): boolean {
  if (message.length < headerBytes || message.readUInt16BE(0) !== id) return false;
  if ((message.readUInt8(2) & 0x80) === 0) return false;
  if (message.readUInt16BE(4) === 0) return responseCodeOf(message) === responseCode.formatError;
  return message.readUInt16BE(4) === 1 && questionKey(message, query.questionEnd) === questionKeyOf(query);
}

/** The question as text that is equal for equal questions, however their names are spelled. */
export function questionKeyOf({ bytes, questionEnd }: Query): string {
  return questionKey(bytes, questionEnd);
}

export function responseCodeOf(message: Buffer): number {
  return message.readUInt8(3) & 0x0f;
}

/** The answer in at most `limit` octets: where it is longer, question and EDNS record alone, marked as cut (TC). */
export function shorten(answer: Buffer, limit: number): Buffer {
  if (answer.length <= limit) return answer;
  const question = readQuestion(answer);
  const end = question?.end ?? headerBytes;
  const edns = question && findEdns(answer, end);
  const room = edns !== undefined && end + edns.bytes.length <= limit;
  const cut = Buffer.concat([answer.subarray(0, end), ...(room ? [edns.bytes] : [])]);
  cut.writeUInt8(cut.readUInt8(2) | 0x02, 2);
  setCounts(cut, question === undefined ? 0 : 1, room ? 1 : 0);
  return cut;
}

/** Header and question of a query, turned into an answer without records. */
function refusal(query: Buffer, end: number, code: number, hasEdns: boolean): Buffer {
  // Root name, type OPT, payload size 1232, no options (RFC 6891 6.1.2).
  const edns = hasEdns ? [Buffer.from([0, 0, ednsType, 0x04, 0xd0, 0, 0, 0, 0, 0, 0])] : [];
  const answer = Buffer.concat([query.subarray(0, end), ...edns]);
  // Opcode and "recursion desired" are the client's.
  answer.writeUInt8(0x80 | (query.readUInt8(2) & 0x79), 2);
  answer.writeUInt8(0x80 | code, 3);
  setCounts(answer, end > headerBytes ? 1 : 0, edns.length);
  return answer;
}

function setCounts(message: Buffer, questions: number, additional: number): void {
  message.writeUInt16BE(questions, 4);
  message.writeUInt16BE(0, 6);
  message.writeUInt16BE(0, 8);
  message.writeUInt16BE(additional, 10);
}

/** Lengths of labels are below 64, letters above: making capitals small cannot change them. */
function questionKey(message: Buffer, end: number): string {
  return smallLetters(message.toString('latin1', headerBytes, end));
}

interface Question {
  readonly labels: readonly string[];
  readonly type: number;
  readonly end: number;
}

/** The first question; undefined where it is cut off or its name is not spelled out, as it can only be there. */
function readQuestion(message: Buffer): Question | undefined {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message[at]; length !== 0; length = message[at]) {
    if (length === undefined || length > 63 || at + 1 + length > message.length) return undefined;
    labels.push(smallLetters(message.toString('latin1', at + 1, at + 1 + length)));
    at += 1 + length;
    // RFC 1035 2.3.4
    if (at - headerBytes > 254) return undefined;
  }
  const end = at + 5;
  return end > message.length ? undefined : { labels, type: message.readUInt16BE(at + 1), end };
}

/** The letters A to Z alone are the same as their small forms (RFC 4343). */
function smallLetters(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

interface Edns {
  readonly udpSize: number;
  readonly bytes: Buffer;
}

/** The EDNS record among those that follow the question. */
function findEdns(message: Buffer, start: number): Edns | undefined {
  const count = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  let at = start;
  for (let n = 0; n < count; n++) {
    const type = skipName(message, at);
    if (type === undefined || type + 10 > message.length) return undefined;
    const end = type + 10 + message.readUInt16BE(type + 8);
    if (end > message.length) return undefined;
    if (message.readUInt16BE(type) === ednsType && message[at] === 0) {
      return { udpSize: message.readUInt16BE(type + 2), bytes: message.subarray(at, end) };
    }
    at = end;
  }
  return undefined;
}

/** Where the name that begins at `start` ends: after its root label, or after the pointer that is its end. */
function skipName(message: Buffer, start: number): number | undefined {
  let at = start;
  for (;;) {
    const length = message[at];
    if (length === undefined) return undefined;
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    if (length > 63) return undefined;
    at += 1 + length;
  }
}
