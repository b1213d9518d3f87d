import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isWorldFailure, WorldFailure } from '../../lib/failure.ts';
import type { CliIo } from '../io.ts';

/** One line of a log; its text has one character a byte. */
export interface LogLine {
  /** Counts from 1. */
  readonly number: number;
  /** Undefined: it is longer than any line of an access log. */
  readonly text: string | undefined;
  /** The log ends in it, without an end of the line: more of it may be missing. */
  readonly isTorn: boolean;
  /** What was compressed ends in it, or before it: any number of lines may be missing. */
  readonly isCut?: true;
}

const longestLine = 1 << 20;

/** Lines of a file, or of standard input for `-`, plain or compressed with gzip. Only one line is in memory at a time. */
export async function* logLines(path: string, { stdin }: Pick<CliIo, 'stdin'>): AsyncGenerator<LogLine> {
  let rest = '';
  let number = 0;
  let isSkipping = false;
  const source = { path, isCut: false };
  for await (const chunk of unpacked(path === '-' ? stdin : readFile(path), source)) {
    let from = 0;
    const text = number === 0 ? withoutMark(rest + chunk) : rest + chunk;
    for (let end = text.indexOf('\n', text.length - chunk.length); end !== -1; end = text.indexOf('\n', from)) {
      const line = isSkipping || end - from > longestLine ? undefined : text.slice(from, end);
      yield { number: ++number, text: line, isTorn: false };
      isSkipping = false;
      from = end + 1;
    }
    rest = text.slice(from);
    if (rest.length > longestLine) {
      isSkipping = true;
      rest = '';
    }
  }
  if (source.isCut) yield { number: number + 1, text: rest, isTorn: true, isCut: true };
  else if (rest !== '' || isSkipping) yield { number: number + 1, text: isSkipping ? undefined : rest, isTorn: true };
}

/** Some editors write a byte order mark before the first line. */
function withoutMark(text: string): string {
  return text.startsWith('\u00ef\u00bb\u00bf') ? text.slice(3) : text;
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    if ((await stat(path)).isDirectory()) throw new Error('it is a folder: name the files in it');
    yield* createReadStream(path, { highWaterMark: 1 << 18 });
  } catch (cause) {
    throw new WorldFailure('file-unreadable', `cannot read the log "${path}"`, { cause });
  }
}

interface Source {
  readonly path: string;
  /** Set where a compressed one ends too early. */
  isCut: boolean;
}

/** The texts of the chunks; what gzip has packed is unpacked, each of several members. */
async function* unpacked(chunks: AsyncIterable<Uint8Array>, source: Source): AsyncGenerator<string> {
  const { path } = source;
  const iterator = chunks[Symbol.asyncIterator]();
  // The two bytes that gzip begins with may come one by one.
  let first = new Uint8Array();
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    first = Buffer.concat([first, next.value]);
    if (first.length >= 2) break;
  }
  const all = (async function* () {
    yield first;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    for await (const chunk of all) yield latin1(chunk);
    return;
  }
  const packed = Readable.from(all);
  const gunzip = createGunzip();
  packed.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield latin1(chunk as Uint8Array);
  } catch (error) {
    if (isWorldFailure(error)) throw error;
    // What came before the end counts.
    if ((error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') source.isCut = true;
    else {
      throw new WorldFailure('file-unreadable', `cannot unpack the log "${path}"`, { cause: error });
    }
  } finally {
    packed.destroy();
  }
}

function latin1(chunk: Uint8Array): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
}
