import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { freePorts } from '../../../testing/free-ports.ts';
import { webMesh } from '../../../testing/mesh-texts.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { compile } from '../../compile.ts';
import { isListening, type StaticEnvoy, startStaticEnvoy } from '../testing/static-envoy.ts';

const names = ['web', 'other', 'db', 'shop'];
const servers: Server[] = [];
let folder: string;
let envoy: StaticEnvoy;
/** A bound port for requests, one for bytes, and one that connections are redirected to. */
let ports: readonly [requests: number, bytes: number, redirected: number];

interface StaticForm {
  readonly static_resources: {
    readonly listeners: readonly { readonly name: string }[];
    readonly clusters: readonly { readonly name: string }[];
  };
}

function entry(name: string, port: number, protocol: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: a}
spec:
  hosts: [${name}.example]
  ports: [{number: ${port}, name: ${protocol}, protocol: ${protocol.toUpperCase()}}]
  resolution: STATIC
  endpoints: [{address: "unix://${folder}/${name}.app"}]
`;
}

function sidecar(): string {
  const [requests, bytes, redirected] = ports;
  return `apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: default, namespace: a}
spec:
  outboundTrafficPolicy: {mode: REGISTRY_ONLY}
  egress:
  - {port: {number: ${requests}, protocol: HTTP, name: web}, captureMode: NONE, hosts: [./web.example]}
  - {port: {number: ${bytes}, protocol: TCP, name: db}, bind: 127.0.0.2, captureMode: NONE, hosts: ["*/db.example"]}
  - {port: {number: ${redirected}, protocol: HTTP, name: shop}, hosts: [./shop.example]}
  - {hosts: ["*/*"]}
`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sidecar-listeners-'));
  for (const name of names) servers.push(await startGreeter(name));
  const [requests = 0, bytes = 0, redirected = 0] = await freePorts(3);
  ports = [requests, bytes, redirected];
  const text = [
    webMesh,
    entry('web', requests, 'http'),
    entry('other', redirected, 'http'),
    entry('db', bytes, 'tcp'),
    entry('shop', redirected, 'http'),
    sidecar(),
  ].join('---\n');
  const bag = new DiagnosticBag();
  const settings = { ...defaultSettings, accessLogFile: '' };
  const select = [{ namespace: 'a', name: 'web' }];
  const config = compile({ settings, files: [{ path: 'mesh.yaml', text }], select }, bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const { listeners, clusters } = (staticFormOf(config) as StaticForm).static_resources;
  const bound = listeners.filter(({ name }) => name.startsWith('bound_'));
  const captured = listeners.filter(({ name }) => name === `0.0.0.0_${redirected}`);
  envoy = await startStaticEnvoy(folder, {
    listeners: [...bound, ...captured.map((listener) => ({ ...listener, bind_to_port: true }))],
    clusters: clusters.filter(({ name }) => /^outbound|^BlackHole|^Passthrough/.test(name)),
  });
  await envoy.until(() => isListening({ host: '127.0.0.1', port: requests }));
  await envoy.until(() => isListening({ host: '127.0.0.2', port: bytes }));
  await envoy.until(() => isListening({ host: '127.0.0.1', port: redirected }));
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

/** What comes back to the first bytes of a connection. */
function said(host: string, port: number, first: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, host);
    socket.on('error', () => resolve(text));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.write(first);
  });
}

/** The body of an answer, or its status where the proxy answered itself. */
async function answer(port: number, host: string): Promise<string> {
  const text = await said('127.0.0.1', port, `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'closed';
  return status === '200' ? (text.split('\r\n\r\n')[1] ?? '') : status;
}

describe.concurrent('a listener of a Sidecar', () => {
  test('that the application connects to leads requests to its services, and no others', async () => {
    expect(await answer(ports[0], 'web.example')).toBe('web');
    expect(await answer(ports[0], 'shop.example')).toBe('502');
  });

  test('for bytes stands on the address that it binds', async () => {
    expect(await said('127.0.0.2', ports[1], 'hello')).toBe('db');
    expect(await said('127.0.0.1', ports[1], 'hello')).toBe('');
  });

  test('with a port keeps other services from it', async () => {
    expect(await answer(ports[2], 'shop.example')).toBe('shop');
    expect(await answer(ports[2], 'other.example')).toBe('502');
  });
});
