import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { isListening, startStaticEnvoy } from '../../lower/testing/static-envoy.ts';
import { backends, clusterOf, compiledListeners } from './standard-mesh.ts';

/** One real Envoy with the listener of a gateway on port 443, once for each set of objects. */
export interface TlsGates {
  /** The application that a connection with a server name reaches; undefined when it is closed. */
  reached(name: string, serverName: string | undefined): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Compiles each text (YAML) for the workload `infra/edge` and starts Envoy with the listeners. */
export async function startTlsGates(objects: Readonly<Record<string, string>>): Promise<TlsGates> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-gates-'));
  const pathOf = (backend: string): string => join(folder, `${backend}.sock`);
  const servers = await Promise.all(backends.map((backend) => startNamed(backend, pathOf(backend))));
  const names = Object.keys(objects);
  const socketOf = (name: string): string => join(folder, `${names.indexOf(name)}.sock`);
  const listeners = names.flatMap((name) =>
    compiledListeners(objects[name] ?? '').flatMap(({ port, ...rest }) =>
      port === 443 ? [{ name, address: { pipe: { path: socketOf(name) } }, ...rest }] : [],
    ),
  );
  const clusters = [
    ...backends.map((backend) => clusterOf(backend, pathOf(backend))),
    { name: 'BlackHoleCluster', type: 'STATIC', connect_timeout: '5s' },
  ];
  const envoy = await startStaticEnvoy(folder, { listeners, clusters });
  for (const { address } of listeners) await envoy.until(() => isListening(address.pipe));
  return {
    reached: async (name, serverName) => answerTo(await clientHello(serverName), socketOf(name)),
    close: async () => {
      await envoy.close();
      for (const server of servers) server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An application that answers whatever comes first with its name, in plain text, and closes. */
function startNamed(backend: string, path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(backend));
  });
  return new Promise((resolve) => {
    server.listen(path, () => resolve(server));
  });
}

/** The first message of a TLS client. */
function clientHello(servername: string | undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        resolve(chunk);
        done();
      },
    });
    connectTls({ socket, ...(servername !== undefined && { servername }) }).on('error', () => undefined);
  });
}

function answerTo(bytes: Buffer, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ path });
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer === '' ? undefined : answer));
    socket.write(bytes);
  });
}
