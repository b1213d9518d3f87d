import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';

/** Where a service of the cluster is: the port of this machine's loopback, or undefined where nobody serves it. */
export type FindService = (host: string, port: number) => Promise<number | undefined>;

/**
 * Takes what an API server calls in its cluster, webhooks among them (EgressSelectorConfiguration, HTTP CONNECT on a Unix
 * socket): so their configurations name services, as those of a manifest do, although the server is in no network of pods.
 */
export async function startEgress(path: string, find: FindService): Promise<Server> {
  const server = createServer();
  server.on('connect', async ({ url = '' }, near) => {
    near.on('error', () => undefined);
    const at = url.lastIndexOf(':');
    const port = await find(url.slice(0, at), Number(url.slice(at + 1))).catch(() => undefined);
    if (port === undefined) {
      near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const far = connect({ host: '127.0.0.1', port });
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return server;
}

/** What the API server reads of it. */
export function egressConfiguration(path: string): object {
  const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: path } } };
  return {
    ...{ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration' },
    egressSelections: [{ name: 'cluster', connection }],
  };
}
