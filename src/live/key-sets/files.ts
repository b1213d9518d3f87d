import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { WorldFailure } from '../../lib/failure.ts';
import { explainDeadLink } from '../../lib/read-file.ts';
import type { KeySetFile } from './gather.ts';
import type { KeySetOption } from './key-set-option.ts';

/** The file that `--jwks` names cannot be read, or is none. */
export class KeySetFileError extends WorldFailure<'key-set-unreadable'> {
  constructor(message: string, options?: ErrorOptions) {
    super('key-set-unreadable', message, options);
  }
}

/** The largest key set that is read; as large as one that is fetched may be. */
const maxBytes = 1_048_576;

/** Reads each file once. */
export function readKeySetFiles(options: readonly KeySetOption[]): Promise<readonly KeySetFile[]> {
  return Promise.all(options.map(async (option) => ({ ...option, text: await readText(option.path) })));
}

async function readText(path: string): Promise<string> {
  const fail = (reason: string, cause?: unknown): KeySetFileError =>
    new KeySetFileError(`cannot read the key set "${path}"${reason}`, { cause });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk as Uint8Array);
      length += (chunk as Uint8Array).length;
      if (length > maxBytes) break;
    }
  } catch (cause) {
    throw fail('', await explainDeadLink(cause, path));
  }
  if (length > maxBytes) throw fail(`: it has more than ${maxBytes} bytes`);
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw fail(': it is not UTF-8 text');
  return bytes.toString('utf8');
}
