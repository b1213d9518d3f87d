import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectPlain, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { freePort } from '../../../testing/free-ports.ts';
import { webMesh } from '../../../testing/mesh-texts.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { compile } from '../../compile.ts';
import { type StaticEnvoy, startStaticEnvoy } from '../testing/static-envoy.ts';

const names = ['one', 'two', 'db', 'db-new', 'web', 'block'];
const servers: Server[] = [];
let folder: string;
let envoy: StaticEnvoy;
/** Shared by an HTTP service and a block of addresses around it. */
let sharedPort: number;

/** One port a host: what stands on Unix sockets has no port of its own. */
function entry(host: string, port: number, protocol: string, address = `240.0.0.${names.indexOf(host) + 1}`): string {
  return `apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: ${host}, namespace: a}
spec:
  hosts: [${host}.example]
  addresses: [${address}]
  ports: [{number: ${port}, name: ${protocol}, protocol: ${protocol.toUpperCase()}}]
  resolution: STATIC
  endpoints: [{address: "unix://${folder}/${host}.app"}]
`;
}

const virtualServices = `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: tls, namespace: a}
spec:
  hosts: [one.example]
  tls:
  - match: [{sniHosts: [one.example], sourceLabels: {app: other}}]
    route: [{destination: {host: db.example}}]
  - match: [{sniHosts: [one.example]}]
    route: [{destination: {host: two.example}}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: tcp, namespace: a}
spec:
  hosts: [db.example]
  tcp:
  - match: [{destinationSubnets: [192.0.2.0/24]}]
    route: [{destination: {host: one.example}}]
  - route:
    - {destination: {host: db.example}, weight: 1}
    - {destination: {host: db-new.example}, weight: 1}
`;

interface StaticForm {
  readonly static_resources: {
    readonly listeners: readonly { readonly name: string }[];
    readonly clusters: readonly { readonly name: string }[];
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'connections-'));
  for (const name of names) servers.push(await startGreeter(name));
  sharedPort = await freePort();
  const entries = [
    entry('one', 443, 'tls'),
    entry('two', 443, 'tls'),
    entry('db', 5432, 'tcp'),
    entry('db-new', 5432, 'tcp'),
    entry('block', sharedPort, 'tcp', '127.9.0.0/16'),
    entry('web', sharedPort, 'http', '127.9.0.1'),
  ];
  const text = [webMesh, ...entries, virtualServices].join('---\n');
  const bag = new DiagnosticBag();
  const select = [{ namespace: 'a', name: 'web' }];
  const settings = { ...defaultSettings, accessLogFile: '' };
  const config = compile({ settings, files: [{ path: 'mesh.yaml', text }], select }, bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const { static_resources: all } = staticFormOf(config) as StaticForm;
  const piped = all.listeners
    .filter(({ name }) => name.startsWith('240.'))
    .map((listener) => ({ ...listener, bind_to_port: true, address: { pipe: { path: join(folder, listener.name) } } }));
  const shared = all.listeners.filter(({ name }) => name === `0.0.0.0_${sharedPort}`);
  const listeners = [...piped, ...shared.map((listener) => ({ ...listener, bind_to_port: true }))];
  const clusters = all.clusters.filter(({ name }) => name.startsWith('outbound'));
  envoy = await startStaticEnvoy(folder, { listeners, clusters });
  await envoy.until(async () => (await greeting('240.0.0.3_5432')) !== '');
});
afterAll(async () => {
  await envoy?.close();
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Says its name to whoever has said something, and hangs up; to a request as an answer. */
function startGreeter(name: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {
      // Clients hang up when they have read enough.
    });
    socket.once('data', (chunk) => {
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${name.length}\r\nconnection: close\r\n\r\n`;
      socket.end(chunk.includes('GET / HTTP/1.1') ? head + name : name);
    });
  });
  return new Promise((resolve) => {
    server.listen(join(folder, `${name}.app`), () => resolve(server));
  });
}

/** Who answers on a listener to the beginning of a TLS handshake, or to bytes; empty when nobody does. */
async function greeting(listener: string, serverName?: string): Promise<string> {
  const first = serverName === undefined ? 'hello' : await clientHello(serverName);
  return said(connectPlain(join(folder, listener)), first);
}

/** What is answered to the first bytes of a connection. */
function said(socket: Socket, first: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('error', () => resolve(text));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.write(first);
  });
}

/** The first message of a TLS client. */
function clientHello(serverName: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const wire = new Duplex({
      read() {
        // Nobody answers.
      },
      write(chunk: Buffer, _, done) {
        resolve(chunk);
        done();
      },
    });
    connectTls({ socket: wire, servername: serverName }).on('error', reject);
  });
}

describe('connections of a sidecar', () => {
  test('go by server name where a TLS route says so', async () => {
    expect(await greeting('240.0.0.1_443', 'one.example')).toBe('two');
    expect(await greeting('240.0.0.2_443', 'two.example')).toBe('two');
  });

  test('of a server name that no TLS route has are closed', async () => {
    expect(await greeting('240.0.0.1_443', 'three.example')).toBe('');
  });

  test('to the address of an HTTP service are its requests, though another entry claims a block around it', async () => {
    const request = 'GET / HTTP/1.1\r\nhost: web.example\r\nconnection: close\r\n\r\n';
    const to = (host: string, first: string) => said(connectPlain(sharedPort, host), first);
    expect(await to('127.9.0.1', request)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*web$/);
    expect(await to('127.9.0.2', request)).toMatch(/block$/);
    expect(await to('127.9.0.2', 'hello')).toBe('block');
  });

  test('are shared out by weight where a TCP route says so', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => greeting('240.0.0.3_5432')));
    expect(new Set(answers)).toEqual(new Set(['db', 'db-new']));
    expect(await greeting('240.0.0.4_5432')).toBe('db-new');
  });
});
