/** A query with one question, as far as it must be understood to be passed on: its bytes stay as the client made them. */
export interface Query {
  readonly bytes: Buffer;
  readonly id: number;
  /** Labels of the name asked for, first one first, A to Z in small letters; one character an octet. */
  readonly labels: readonly string[];
  /** Of the records that are asked for (RFC 1035 3.2.2), and their class: 1 is the Internet's. */
  readonly type: number;
  readonly recordClass: number;
  /** Where the question ends, an offset into the bytes. */
  readonly questionEnd: number;
  readonly hasEdns: boolean;
  /** 0 without EDNS. */
  readonly ednsVersion: number;
  /** What follows the question is records as its header counts them, with one of EDNS at most, and nothing else. */
  readonly isWhole: boolean;
  /** Octets of an answer that the client takes over UDP: at least 512 (RFC 1035 4.2.1), more by EDNS (RFC 6891 6.2.3). */
  readonly udpSize: number;
}

/** RFC 1035 4.1.1 */
export const responseCode = {
  ...{ noError: 0, formatError: 1, serverFailure: 2, noSuchName: 3, notImplemented: 4, refused: 5 },
  /** RFC 6891 6.1.3 */
  badVersion: 16,
} as const;

const headerBytes = 12;
const ednsType = 41;
/** One answer of many messages (RFC 5936, RFC 1995): zones are not passed on. */
const zoneTransfers: ReadonlySet<number> = new Set([251, 252]);

/**
 * Reads what a client sent. An answer instead of a query is what the client gets at once; undefined is a message that
 * must not be answered at all: no header, or itself an answer. `transferCode` is what is said to who wants a whole zone.
 */
export function parseQuery(
  bytes: Buffer,
  transferCode: number = responseCode.notImplemented,
): Query | Buffer | undefined {
  if (bytes.length < headerBytes || (bytes.readUInt8(2) & 0x80) !== 0) return undefined;
  const opcode = (bytes.readUInt8(2) >> 3) & 0x0f;
  if (opcode !== 0) return refusal(bytes, headerBytes, responseCode.notImplemented, false);
  const question = bytes.readUInt16BE(4) === 1 ? readQuestion(bytes) : undefined;
  if (question === undefined) return refusal(bytes, headerBytes, responseCode.formatError, false);
  const { edns, isWhole } = findEdns(bytes, question.end);
  if (zoneTransfers.has(question.type)) return refusal(bytes, question.end, transferCode, edns !== undefined);
  return {
    bytes,
    id: bytes.readUInt16BE(0),
    labels: question.labels,
    type: question.type,
    recordClass: question.recordClass,
    questionEnd: question.end,
    hasEdns: edns !== undefined,
    ednsVersion: edns?.version ?? 0,
    isWhole,
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
export function failureOf(query: Query): Buffer {
  return codeFor(query, responseCode.serverFailure);
}

/** An answer that says a code, and has no records. */
export function codeFor({ bytes, questionEnd, hasEdns }: Query, code: number): Buffer {
  return refusal(bytes, questionEnd, code, hasEdns);
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
  const edns = question && findEdns(answer, end).edns;
  const room = edns !== undefined && end + edns.bytes.length <= limit;
  const cut = Buffer.concat([answer.subarray(0, end), ...(room ? [edns.bytes] : [])]);
  cut.writeUInt8(cut.readUInt8(2) | 0x02, 2);
  setCounts(cut, question === undefined ? 0 : 1, room ? 1 : 0);
  return cut;
}

/** What a client hears who should ask again over TCP; undefined where its message is no query. */
export function cutAnswer(message: Buffer): Buffer | undefined {
  const query = parseQuery(message);
  if (query === undefined || Buffer.isBuffer(query)) return query;
  const answer = codeFor(query, responseCode.noError);
  answer.writeUInt8(answer.readUInt8(2) | 0x02, 2);
  return answer;
}

/** Header and question of a query, turned into an answer without records. */
function refusal(query: Buffer, end: number, code: number, hasEdns: boolean): Buffer {
  const edns = hasEdns ? [ednsRecord(code >> 4)] : [];
  const answer = Buffer.concat([query.subarray(0, end), ...edns]);
  // Opcode and "recursion desired" are the client's.
  answer.writeUInt8(0x80 | (query.readUInt8(2) & 0x79), 2);
  answer.writeUInt8(0x80 | (code & 0x0f), 3);
  setCounts(answer, end > headerBytes ? 1 : 0, edns.length);
  return answer;
}

/** Root name, type OPT, payload size 1232, version 0, no options (RFC 6891 6.1.2); the upper octet of a code stands in it. */
export function ednsRecord(upperCode: number): Buffer {
  return Buffer.from([0, 0, ednsType, 0x04, 0xd0, upperCode, 0, 0, 0, 0, 0]);
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
  readonly recordClass: number;
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
  if (end > message.length) return undefined;
  return { labels, type: message.readUInt16BE(at + 1), recordClass: message.readUInt16BE(at + 3), end };
}

/** The letters A to Z alone are the same as their small forms (RFC 4343). */
export function smallLetters(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

interface Edns {
  readonly udpSize: number;
  readonly version: number;
  readonly bytes: Buffer;
}

/** The first EDNS record among those that follow the question, and whether they are whole and it is the only one. */
function findEdns(message: Buffer, start: number): { readonly edns: Edns | undefined; readonly isWhole: boolean } {
  const count = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  let edns: Edns | undefined;
  let isOnly = true;
  let at = start;
  for (let n = 0; n < count; n++) {
    const type = skipName(message, at);
    if (type === undefined || type + 10 > message.length) return { edns, isWhole: false };
    const end = type + 10 + message.readUInt16BE(type + 8);
    if (end > message.length) return { edns, isWhole: false };
    if (message.readUInt16BE(type) === ednsType && message[at] === 0) {
      isOnly = edns === undefined;
      edns ??= {
        udpSize: message.readUInt16BE(type + 2),
        version: message.readUInt8(type + 5),
        bytes: message.subarray(at, end),
      };
    }
    at = end;
  }
  return { edns, isWhole: isOnly && at === message.length };
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
