import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request, type Server } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { createMeshCa, type IssuedCertificate } from '../../../testing/certificates.ts';
import { freePorts } from '../../../testing/free-ports.ts';
import { staticFormOf, withoutHostOnlyChains } from '../../../testing/static-form.ts';
import { createCompiler } from '../../compile.ts';
import { withFileCertificates } from './file-certificates.ts';
import { isListening, startStaticEnvoy } from './static-envoy.ts';

/** The ports of one workload: declared as HTTP, as TCP, and not at all. */
export type InboundPort = 'http' | 'tcp' | 'undeclared';

/** How a client comes: with the identity `spiffe://cluster.local/<identity>`, or in plaintext. */
export interface InboundClient {
  readonly identity?: string | undefined;
  /** In place of `cluster.local`. */
  readonly trustDomain?: string;
  readonly serverName?: string;
}

/** One real Envoy with the whole inbound listener of a workload, once for each set of policies. */
export interface InboundListeners {
  /** Status of one request, also one below 200; 0 where the connection ends without an answer. */
  ask(
    name: string,
    port: InboundPort,
    client: InboundClient,
    path?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<number>;
  /** True when bytes come back. */
  echoes(name: string, port: InboundPort, client: InboundClient): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Compiles each text (YAML for workload `a/httpbin` on 127.0.0.1; `$http`, `$tcp` and `$undeclared` stand for its ports,
 * `$app` for one of loopback on which an application answers requests) and starts Envoy with an HTTP and a TCP echo
 * behind it. Only the cluster of an ingress listener on `$undeclared` is as compiled.
 * `authorizers` are Unix sockets by outbound cluster; one that is named and not there stands for an authorizer that is away.
 */
export async function startInboundListeners(
  policies: Readonly<Record<string, string>>,
  options: { readonly settings?: Partial<Settings>; readonly authorizers?: Readonly<Record<string, string>> } = {},
): Promise<InboundListeners> {
  const folder = await mkdtemp(join(tmpdir(), 'inbound-listeners-'));
  const ca = await createMeshCa();
  const certificates = new Map<string, IssuedCertificate>();
  const own = await ca.issue('spiffe://cluster.local/ns/a/sa/httpbin');
  await writeFile(join(folder, 'cert.pem'), own.certificateChain);
  await writeFile(join(folder, 'key.pem'), own.privateKey, { mode: 0o600 });
  await writeFile(join(folder, 'root.pem'), own.rootCertificate);
  const echoes = [await startHttpEcho(join(folder, 'http.sock')), await startTcpEcho(join(folder, 'tcp.sock'))];
  const names = Object.keys(policies);
  const [app = 0, ...free] = await freePorts(names.length * 3 + 1);
  echoes.push(await startHttpEcho(app));
  const portsOf = (name: string): Readonly<Record<InboundPort, number>> => {
    const [http = 0, tcp = 0, undeclared = 0] = free.slice(names.indexOf(name) * 3);
    return { http, tcp, undeclared };
  };
  const clusters: object[] = [clusterOf('InboundPassthroughCluster', join(folder, 'http.sock'))];
  for (const [name, path] of Object.entries(options.authorizers ?? {})) clusters.push(clusterOf(name, path));
  clusters.push({ name: 'BlackHoleCluster', type: 'STATIC' });
  const listeners = names.map((name) => {
    const ports = portsOf(name);
    clusters.push(clusterOf(`inbound|${ports.http}||`, join(folder, 'http.sock')));
    clusters.push(clusterOf(`inbound|${ports.tcp}||`, join(folder, 'tcp.sock')));
    const text = (policies[name] ?? '').replaceAll('$app', String(app));
    const compiled = compiledListener(name, text, ports, { ...defaultSettings, ...options.settings });
    clusters.push(...compiled.clusters.filter((cluster) => cluster.name === `inbound|${ports.undeclared}||`));
    return compiled.listener;
  });
  const envoy = await startStaticEnvoy(folder, { listeners, clusters });
  for (const name of names) await envoy.until(() => isListening({ host: '127.0.0.1', port: portsOf(name).undeclared }));

  async function open(name: string, port: InboundPort, client: InboundClient, alpn: string) {
    const { identity, trustDomain = 'cluster.local', serverName } = client;
    const target = { host: '127.0.0.1', port: portsOf(name)[port] };
    if (identity === undefined) return connect(target);
    const uri = `spiffe://${trustDomain}/${identity}`;
    const issued = certificates.get(uri) ?? (await ca.issue(uri));
    certificates.set(uri, issued);
    const pair = { cert: issued.certificateChain, key: issued.privateKey, rejectUnauthorized: false };
    return connectTls({ ...target, ...pair, ALPNProtocols: [alpn], ...(serverName && { servername: serverName }) });
  }

  return {
    ask: async (name, port, client, path = '/', headers = {}) =>
      ask(await open(name, port, client, 'mesh-http/1.1'), path, headers),
    echoes: async (name, port, client) => echoed(await open(name, port, client, 'mesh')),
    close: async () => {
      await envoy.close();
      for (const echo of echoes) echo.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface InboundJson {
  readonly name: string;
  readonly filter_chains: readonly { readonly name: string }[];
}

function compiledListener(
  name: string,
  policies: string,
  ports: Readonly<Record<InboundPort, number>>,
  settings: Settings,
): { readonly listener: object; readonly clusters: readonly { readonly name: string }[] } {
  const bag = new DiagnosticBag();
  const compiler = createCompiler({ settings: { ...settings, accessLogFile: '' } });
  const files = [{ path: 'mesh.yaml', text: `${meshText(ports)}---\n${withPorts(policies, ports)}` }];
  const config = compiler.compile(files, [{ namespace: 'a', name: 'httpbin' }], bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const form = staticFormOf(config) as {
    static_resources: { listeners: InboundJson[]; clusters: { name: string }[] };
  };
  const json = form.static_resources.listeners.find((listener) => listener.name === 'virtualInbound');
  if (json === undefined) throw new Error('there is no inbound listener');
  withFileCertificates(json);
  const [first, ...others] = Object.values(ports).map((port) => ({
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
  }));
  const listener = { ...withoutHostOnlyChains(json), name, ...first, additional_addresses: others };
  return { listener, clusters: form.static_resources.clusters };
}

function withPorts(text: string, ports: Readonly<Record<InboundPort, number>>): string {
  return text.replace(/\$(http|tcp|undeclared)/g, (_, port: InboundPort) => String(ports[port]));
}

function meshText({ http, tcp }: Readonly<Record<InboundPort, number>>): string {
  return `apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: a}
spec: {clusterIP: 10.96.0.9, selector: {app: httpbin}, ports: [{port: ${http}, name: http}, {port: ${tcp}, name: tcp}]}
---
apiVersion: v1
kind: Service
metadata: {name: opa, namespace: a}
spec: {clusterIP: 10.96.0.20, ports: [{port: 80, name: http}, {port: 9191, name: grpc}]}
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: a, labels: {app: httpbin}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 127.0.0.1}
`;
}

function clusterOf(name: string, path: string): object {
  const endpoint = { address: { pipe: { path } } };
  const load_assignment = { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] };
  const http2 = {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    },
  };
  const isGrpc = name.startsWith('outbound|9191|');
  return { name, type: 'STATIC', load_assignment, ...(isGrpc ? { typed_extension_protocol_options: http2 } : {}) };
}

async function startHttpEcho(path: string | number): Promise<Server> {
  const server = createHttpServer((incoming, response) => {
    incoming.resume();
    response.end('ok');
  });
  if (typeof path === 'number') server.listen(path, '127.0.0.1');
  else server.listen(path);
  await once(server, 'listening');
  return server;
}

async function startTcpEcho(path: string) {
  const server = createServer((socket) => socket.pipe(socket).on('error', () => socket.destroy())).listen(path);
  await once(server, 'listening');
  return server;
}

function ask(socket: Socket, path: string, extra: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const headers = { host: 'httpbin.a', ...extra };
    const outgoing = request({ createConnection: () => socket, path, headers }, (response) => {
      response.resume();
      response.on('end', () => socket.destroy());
      resolve(response.statusCode ?? 0);
    });
    // Of an answer before the last, or that ends HTTP, no other follows.
    for (const event of ['information', 'upgrade'] as const) {
      outgoing.on(event, ({ statusCode = 0 }: { readonly statusCode?: number }) => {
        socket.destroy();
        resolve(statusCode);
      });
    }
    outgoing.on('error', () => resolve(0));
    outgoing.end();
  });
}

function echoed(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.write('some bytes\n');
  });
}
