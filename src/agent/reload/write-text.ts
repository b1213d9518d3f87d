import { open, writeFile } from 'node:fs/promises';

/**
 * Of a longer text so many characters are encoded at a time, in one buffer. The clusters of a big mesh are tens of
 * megabytes: a buffer of that length is garbage afterwards, which the process may hold for good.
 */
const pieceLength = 2 ** 18;

/** The most bytes that UTF-8 takes for a unit of UTF-16. */
const mostBytes = 3;

/** Writes a file that its owner alone may read, as `writeFile` does. */
export async function writeText(path: string, text: string): Promise<void> {
  if (text.length <= pieceLength) {
    await writeFile(path, text, { mode: 0o600 });
    return;
  }
  const file = await open(path, 'w', 0o600);
  try {
    const buffer = Buffer.allocUnsafeSlow((pieceLength + 1) * mostBytes);
    for (const piece of piecesOf(text)) {
      // Goes on where the last one ended.
      await file.writeFile(buffer.subarray(0, buffer.write(piece)));
    }
  } finally {
    await file.close();
  }
}

/** The text in parts; no character that takes two places (UTF-16) is cut. */
function* piecesOf(text: string): Generator<string> {
  let end: number;
  for (let start = 0; start < text.length; start = end) {
    end = start + pieceLength;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield text.slice(start, end);
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}
