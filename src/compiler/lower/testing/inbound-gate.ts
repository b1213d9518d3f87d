import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { createKeySetGatherer } from '../../../live/key-sets/gather.ts';
import { httpbinMesh } from '../../../testing/mesh-texts.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { createCompiler } from '../../compile.ts';
import { type AuthorityWay, askAuthorities } from './ask-authorities.ts';
import { isAnswered, startStaticEnvoy } from './static-envoy.ts';

/** What a request got, and what the application saw of it where it arrived. */
export interface GateAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly seen: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined;
}

export interface GateRequest {
  readonly method?: string;
  readonly path?: string;
  /** Lines in this order, repeated names too. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** One real Envoy with the inbound chain for plaintext HTTP of a workload, once for each set of policies. */
export interface InboundGates {
  /** Sends one request through the chain that was compiled from the policies of this name. */
  send(name: string, request?: GateRequest): Promise<GateAnswer>;
  /** Sends bytes as they are, and gives the status of the answer; 0 where the connection ends without one. */
  sendRaw(name: string, bytes: string): Promise<number>;
  /** Sends one request over HTTP/2; names and values as they are. */
  sendHttp2(name: string, headers: OutgoingHttpHeaders): Promise<number>;
  /** One request for each authority: the body of a 200, which tells what the application saw, else the status. */
  askAuthorities(name: string, way: AuthorityWay, authorities: readonly string[]): Promise<readonly string[]>;
  /** A connection of one's own to that chain. */
  connect(name: string): Socket;
  close(): Promise<void>;
}

/**
 * Compiles each text (YAML for workload `a/httpbin`, HTTP on port 8080) and starts Envoy with an echo behind it; what
 * a text is compiled with besides the defaults stands under its name.
 */
export async function startInboundGates(
  policies: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, Partial<Settings>>> = {},
): Promise<InboundGates> {
  const folder = await mkdtemp(join(tmpdir(), 'inbound-gate-'));
  const socketOf = (name: string): string => join(folder, `${Object.keys(policies).indexOf(name)}.sock`);
  const backend = await startEcho(join(folder, 'app.sock'));
  const listeners = await Promise.all(
    Object.entries(policies).map(async ([name, text]) => ({
      name,
      address: { pipe: { path: socketOf(name) } },
      filter_chains: [{ filters: await compiledFilters(text, settings[name]) }],
    })),
  );
  const clusters = [{ name: 'inbound|8080||', type: 'STATIC', load_assignment: loadOf(join(folder, 'app.sock')) }];
  const envoy = await startStaticEnvoy(folder, { listeners, clusters }, ['--file-flush-interval-msec', '200']);
  const close = async (): Promise<void> => {
    await envoy.close();
    backend.close();
    backend.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  };
  for (const name of Object.keys(policies)) {
    await envoy.until(() => isAnswered(ask(socketOf(name), {})));
  }
  return {
    send: (name, options = {}) => ask(socketOf(name), options),
    sendRaw: (name, bytes) => askRaw(socketOf(name), bytes),
    sendHttp2: (name, headers) => askHttp2(socketOf(name), headers),
    askAuthorities: (name, way, authorities) => askAuthorities(socketOf(name), way, authorities),
    connect: (name) => connect(socketOf(name)),
    close,
  };
}

/** Filters of the chain for plaintext HTTP on the declared port. */
async function compiledFilters(policies: string, settings: Partial<Settings> = {}): Promise<readonly object[]> {
  const bag = new DiagnosticBag();
  const compiler = createCompiler({ settings: { ...defaultSettings, accessLogFile: '', ...settings } });
  const objects = compiler.read([{ path: 'mesh.yaml', text: `${httpbinMesh}---\n${policies}` }], bag);
  const keySets = await createKeySetGatherer().gather(objects, bag);
  const select = [{ namespace: 'a', name: 'httpbin' }];
  const config = compiler.compileObjects(objects, select, bag, keySets)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const { static_resources } = staticFormOf(config) as {
    static_resources: { listeners: { name: string; filter_chains: { name: string; filters: object[] }[] }[] };
  };
  const inbound = static_resources.listeners.find(({ name }) => name === 'virtualInbound');
  return inbound?.filter_chains.find(({ name }) => name === 'inbound-8080-plain-http')?.filters ?? [];
}

function loadOf(path: string): object {
  return {
    cluster_name: 'inbound|8080||',
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path } } } }] }],
  };
}

function startEcho(path: string): Promise<Server> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    response.end(JSON.stringify({ url: incoming.url, headers }));
  });
  return new Promise((resolve) => {
    server.listen(path, () => resolve(server));
  });
}

function ask(socketPath: string, { method = 'GET', path = '/', headers = [] }: GateRequest): Promise<GateAnswer> {
  const lines = [['host', 'httpbin.a'], ...headers].flat();
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, headers: lines, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        resolve({
          status,
          headers: response.headers,
          body,
          seen: status === 200 && body !== '' ? JSON.parse(body) : undefined,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function askRaw(path: string, bytes: string): Promise<number> {
  const socket = connect(path);
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
      const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(answer) ?? [];
      if (status === undefined) return;
      socket.destroy();
      resolve(Number(status));
    });
    socket.on('error', () => resolve(0));
    socket.on('close', () => resolve(0));
    socket.write(bytes);
  });
}

function askHttp2(path: string, headers: OutgoingHttpHeaders): Promise<number> {
  const session = connectHttp2('http://httpbin.a', { createConnection: () => connect(path) });
  return new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request(headers);
    stream.on('response', (answer) => {
      session.destroy();
      resolve(answer[':status'] ?? 0);
    });
    stream.on('error', reject);
    stream.end();
  });
}
