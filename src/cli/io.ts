/** What a command touches of its process; tests give their own. */
export interface CliIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Data. Resolves when it was taken, so that a pipe is not cut short by the exit. */
  readonly writeOut: (text: string) => Promise<void>;
  /** Diagnostics and progress. */
  readonly writeError: (text: string) => Promise<void>;
}

/** The process that we are. */
export function processIo(): CliIo {
  return {
    // Opened when it is read: an open pipe would keep the process alive.
    get stdin() {
      return process.stdin;
    },
    environment: process.env,
    writeOut: (text) => write(process.stdout, text),
    writeError: (text) => write(process.stderr, text),
  };
}

/** A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => (error.code === 'EPIPE' ? resolve() : reject(error));
    stream.once('error', onError);
    stream.write(text, (error) => {
      if (error) return;
      stream.off('error', onError);
      resolve();
    });
  });
}
