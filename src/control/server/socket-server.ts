import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { prepareSocketPath } from '../../xds/socket.ts';
import { ControlError } from '../control-error.ts';

export interface SocketServerOptions {
  /** Path of a Unix socket, which gets mode 0600. */
  readonly path: string;
  /** What it is for, as an error names it: `the debug socket`. */
  readonly name: string;
  readonly limits: ServerOptions;
}

/** Serves HTTP on a Unix socket that only the user that runs `meshd` can open. `ControlError` where that cannot be. */
export async function startSocketServer(
  { path, name, limits }: SocketServerOptions,
  listener: RequestListener,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(limits, listener);
  server.maxConnections = 32;
  try {
    const place = await prepareSocketPath(path);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place.bindPath, resolve);
    });
    await place.finish();
  } catch (cause) {
    server.close();
    throw new ControlError('listen-failed', `cannot serve ${name} "${path}"`, { cause });
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `ControlError` where a socket server that another thread starts later could not be started now. */
export async function proveSocketPath(options: Omit<SocketServerOptions, 'limits'>): Promise<void> {
  const server = await startSocketServer({ ...options, limits: {} }, () => undefined);
  await server.close();
}
