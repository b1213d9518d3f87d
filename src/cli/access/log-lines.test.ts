import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type LogLine, logLines } from './log-lines.ts';

/** What is read of bytes that come in chunks of this size. */
async function linesOf(bytes: Uint8Array, size: number): Promise<readonly LogLine[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  const lines: LogLine[] = [];
  for await (const line of logLines('-', { stdin: Readable.from(chunks) as never })) lines.push(line);
  return lines;
}

const text = Buffer.from('one\ntwo\nthree');

describe.each([1, 2, 3, 1_000])('lines that come in chunks of %i bytes', (size) => {
  test('are the same, plain or compressed; the last one may be torn', async () => {
    const expected = [
      { number: 1, text: 'one', isTorn: false },
      { number: 2, text: 'two', isTorn: false },
      { number: 3, text: 'three', isTorn: true },
    ];
    expect(await linesOf(text, size)).toEqual(expected);
    expect(await linesOf(gzipSync(text), size)).toEqual(expected);
  });

  test('have no byte order mark before the first of them', async () => {
    const marked = Buffer.from('\ufeff\n\ufefftwo\n');
    const lines = (await linesOf(marked, size)).map((line) => Buffer.from(line.text ?? '', 'latin1').toString());
    expect(lines).toEqual(['', '\ufefftwo']);
  });

  test('say that a compressed log is cut, wherever that is', async () => {
    const packed = gzipSync(Buffer.from('one\ntwo\n'));
    for (const end of [10, packed.length - 9, packed.length - 1]) {
      const lines = await linesOf(packed.subarray(0, end), size);
      expect(lines.at(-1)).toMatchObject({ isCut: true });
    }
  });

  test('are none where there is nothing, and one of a single byte', async () => {
    expect(await linesOf(Buffer.from(''), size)).toEqual([]);
    expect(await linesOf(Buffer.from('\u001f', 'latin1'), size)).toEqual([{ number: 1, text: '\u001f', isTorn: true }]);
  });
});
