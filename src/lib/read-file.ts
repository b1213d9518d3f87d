import { constants } from 'node:fs';
import { open, readFile, readlink } from 'node:fs/promises';
import { WorldFailure } from './failure.ts';

/** Descriptors that this process was given; to open a pipe among them waits for nobody. */
const given = /^\/(dev\/(stdin$|fd\/)|proc\/self\/fd\/)/;

/** The number of /dev/null on Linux. */
const nullDevice = 0x103;

/**
 * The bytes of a file that a setting names. A device other than /dev/null is refused. A pipe or a socket is refused: Node would wait for a writer in a thread that
 * nothing can end, so that the program could not even be stopped. The error's `code` is a system's, or `a pipe, not a file`.
 */
export async function readNamedFile(path: string): Promise<Buffer> {
  if (given.test(path)) return readFile(path);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(async (error: unknown) => {
    throw await explainDeadLink(error, path);
  });
  try {
    const kind = await file.stat();
    if (kind.isFIFO() || kind.isSocket()) {
      throw notAFile('a pipe, not a file', path);
    }
    // Such as /dev/zero, which has no end.
    if (kind.isCharacterDevice() && kind.rdev !== nullDevice) {
      throw notAFile('a device, not a file', path);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function notAFile(code: string, path: string): WorldFailure<string> {
  return Object.assign(new WorldFailure(code, `"${path}" is ${code}`), { path });
}

/** The same as text; as `latin1`, which every sequence of bytes is, for what is checked as PEM or as a token afterwards. */
export async function readNamedText(path: string, encoding: 'utf8' | 'latin1'): Promise<string> {
  return (await readNamedFile(path)).toString(encoding);
}

/**
 * The error of a path that cannot be read, with words of its own where the path is a link that leads nowhere, or back to
 * itself: "no such file" would send people to look for a file that they see. Code, call and path stay.
 */
export async function explainDeadLink(error: unknown, path: string): Promise<unknown> {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ELOOP') return error;
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined) return error;
  const where = code === 'ELOOP' ? 'leads back to itself' : 'leads nowhere';
  const text = `"${path}" is a link that ${where}, by "${target}": mend the link, or remove it`;
  return Object.assign(new Error(text), { code, syscall, path });
}
