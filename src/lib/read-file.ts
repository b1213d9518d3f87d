import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';

/** Descriptors that this process was given; to open a pipe among them waits for nobody. */
const given = /^\/(dev\/(stdin$|fd\/)|proc\/self\/fd\/)/;

/**
 * The bytes of a file that a setting names. A pipe or a socket is refused: Node would wait for a writer in a thread that
 * nothing can end, so that the program could not even be stopped. The error's `code` is a system's, or `a pipe, not a file`.
 */
export async function readNamedFile(path: string): Promise<Buffer> {
  if (given.test(path)) return readFile(path);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const kind = await file.stat();
    if (kind.isFIFO() || kind.isSocket()) {
      throw Object.assign(new Error(`"${path}" is a pipe, not a file`), { code: 'a pipe, not a file' });
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}
