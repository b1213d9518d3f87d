import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSettings } from '../../../config/defaults.ts';
import type { Settings } from '../../../config/settings.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { delay } from '../../../lib/abort.ts';
import { webMesh } from '../../../testing/mesh-texts.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { compile } from '../../compile.ts';
import { isAnswered, startStaticEnvoy } from './static-envoy.ts';

/** A request as an application saw it. */
export interface SeenRequest {
  readonly backend: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RoutedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Undefined when no application answered. */
  readonly seen: SeenRequest | undefined;
}

export interface RoutedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  /** `x-answer: 503` and `x-wait: 200` (milliseconds) tell the application what to do. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One real Envoy with the outbound listener for HTTP on port 80 of a client, once for each set of policies. */
export interface OutboundGates {
  send(name: string, request?: RoutedRequest): Promise<RoutedAnswer>;
  /** What applications have got since the last call, in no order that matters. */
  received(): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Sockets of the applications behind `reviews.example` (two subsets) and `ratings.example`; `named.example` has none. */
const backends = ['v1', 'v2', 'ratings'] as const;

type Json = Readonly<Record<string, unknown>>;

interface StaticForm {
  readonly static_resources: {
    readonly listeners: readonly { readonly name: string; readonly filter_chains: readonly { filters: Json[] }[] }[];
    readonly clusters: readonly { readonly name: string }[];
  };
}

/** Compiles each text (YAML, beside the mesh below) and starts Envoy with an echo behind each service. */
export async function startOutboundGates(
  policies: Readonly<Record<string, string>>,
  settings: Partial<Settings> = {},
): Promise<OutboundGates> {
  const folder = await mkdtemp(join(tmpdir(), 'outbound-gate-'));
  const names = Object.keys(policies);
  const socketOf = (name: string): string => join(folder, `${names.indexOf(name)}.sock`);
  const log: SeenRequest[] = [];
  const servers = await Promise.all(backends.map((name) => startEcho(name, join(folder, `${name}.sock`), log)));
  const forms = names.map((name) => compiled(`${mesh(folder)}---\n${policies[name]}`, settings));
  const listeners = forms.map(({ static_resources }, i) => ({
    name: names[i],
    address: { pipe: { path: socketOf(names[i] ?? '') } },
    filter_chains: static_resources.listeners.find(({ name }) => name === '0.0.0.0_80')?.filter_chains.map(anyMatch),
  }));
  const clusters = forms[0]?.static_resources.clusters.filter(({ name }) => /^outbound|^BlackHole/.test(name));
  const envoy = await startStaticEnvoy(folder, { listeners, clusters });
  for (const name of names) {
    await envoy.until(() => isAnswered(ask(socketOf(name), { path: '/ready' })));
  }
  log.length = 0;
  return {
    send: (name, options = {}) => ask(socketOf(name), options),
    received: () => log.splice(0),
    close: async () => {
      await envoy.close();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The chain alone is left on its listener: nothing has to be detected. */
function anyMatch({ filters }: { readonly filters: Json[] }): object {
  return { filters };
}

function compiled(text: string, settings: Partial<Settings>): StaticForm {
  const bag = new DiagnosticBag();
  const files = [{ path: 'mesh.yaml', text }];
  const options = { settings: { ...defaultSettings, accessLogFile: '', ...settings } };
  const config = compile({ ...options, files, select: [{ namespace: 'a', name: 'web' }] }, bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  return staticFormOf(config) as StaticForm;
}

function mesh(folder: string): string {
  return `${webMesh}---
apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: reviews, namespace: a}
spec:
  hosts: [reviews.example]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints:
  - {address: "unix://${folder}/v1.sock", labels: {version: v1}}
  - {address: "unix://${folder}/v2.sock", labels: {version: v2}}
---
apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: ratings, namespace: a}
spec:
  hosts: [ratings.example]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: "unix://${folder}/ratings.sock"}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: DestinationRule
metadata: {name: reviews, namespace: a}
spec:
  host: reviews.example
  subsets: [{name: v1, labels: {version: v1}}, {name: v2, labels: {version: v2}}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: named, namespace: a}
spec:
  hosts: [named.example]
  ports: [{number: 80, name: http, protocol: HTTP}]
  resolution: DNS
  endpoints: [{address: v1.invalid, labels: {version: v1}}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: DestinationRule
metadata: {name: named, namespace: a}
spec: {host: named.example, subsets: [{name: v2, labels: {version: v2}}]}
`;
}

/** An application on a socket that answers with what it got. */
export function startEcho(backend: string, path: string, log: SeenRequest[]): Promise<Server> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    const { method = '', url = '' } = incoming;
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const seen: SeenRequest = { backend, method, url, headers };
    log.push(seen);
    const answer = (): void => {
      response.writeHead(Number(headers['x-answer'] ?? 200), { 'x-debug': 'on', 'x-app': backend });
      response.end(JSON.stringify(seen));
    };
    void delay(Number(headers['x-wait'] ?? 0)).then(answer);
  });
  return new Promise((resolve) => {
    server.listen(path, () => resolve(server));
  });
}

/** One request on a connection of its own. */
export function ask(
  socketPath: string,
  { method = 'GET', path = '/', host = 'reviews.example', headers = {} }: RoutedRequest,
): Promise<RoutedAnswer> {
  return new Promise((resolve, reject) => {
    const options = { socketPath, method, path, headers: { host, ...headers }, agent: false };
    const outgoing = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        const seen = response.headers['x-app'] === undefined || body === '' ? undefined : JSON.parse(body);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, seen });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
