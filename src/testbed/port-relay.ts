import { connect, createServer, type ListenOptions, type Server } from 'node:net';

/** Takes connections at one place and makes each of them at another, byte for byte; returns once it listens. */
export async function relay(
  from: ListenOptions,
  to: { readonly port: number } | { readonly path: string },
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...to, allowHalfOpen: true });
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(from, resolve));
  return server;
}

// As a program: `port-relay.ts PORT SOCKET [HOST]` takes connections at HOST, or at loopback, and makes them at a Unix socket.
if (import.meta.main) {
  const [port, path = '', host = '127.0.0.1'] = process.argv.slice(2);
  await relay({ host, port: Number(port) }, { path });
  process.stdout.write('listening\n');
}
