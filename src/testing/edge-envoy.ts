import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serve } from '../access/evaluate/serve.ts';
import { type LiftedProxy, liftProxy } from '../access/lift-proxy.ts';
import type { Outcome } from '../access/outcome.ts';
import type { HttpRequest } from '../access/request.ts';
import { Signatures } from '../access/signatures.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../envoy/process.ts';
import { codecDetails } from '../gauge/differences.ts';
import { hasBody } from '../gauge/http2-client.ts';
import { exchange } from '../testbed/wire/exchange.ts';
import { http1Request } from '../testbed/wire/http1.ts';
import { http2Request } from '../testbed/wire/http2.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';
import type { Edge } from './head-edges.ts';

const extensions = 'type.googleapis.com/envoy.extensions';

/** One listener of an Envoy: what differs from a plain one. */
export interface EdgeListener {
  readonly direction?: 'INBOUND' | 'OUTBOUND';
  /** Of its connection manager. */
  readonly settings?: object;
  /** Before the router. */
  readonly filters?: readonly object[];
  readonly router?: object;
  readonly virtualHost?: object;
  readonly routes: readonly object[];
}

/** A cluster that leads to a listener of the same Envoy. */
export interface EdgeCluster {
  readonly name: string;
  readonly listener: string;
  readonly protocol: 'http_protocol_options' | 'http2_protocol_options';
}

interface LogLine {
  readonly name: string;
  readonly details: string;
  /** Headers that were asked for, by name; null for an absent one. */
  readonly headers: Readonly<Record<string, string | null>>;
}

/** One Envoy with several listeners, and the predictions for each of them. */
export class EdgeEnvoy {
  readonly signatures = new Signatures();
  readonly #folder: string;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #proxy: LiftedProxy;
  readonly #process: EnvoyProcess;

  private constructor(folder: string, ports: ReadonlyMap<string, number>, proxy: LiftedProxy, process: EnvoyProcess) {
    this.#folder = folder;
    this.#ports = ports;
    this.#proxy = proxy;
    this.#process = process;
  }

  /** `logged`: headers that its log tells. */
  static async start(
    own: Readonly<Record<string, EdgeListener>>,
    clusters: readonly EdgeCluster[],
    logged: readonly string[] = [],
  ): Promise<EdgeEnvoy> {
    const folder = mkdtempSync(path.join(tmpdir(), 'edge-envoy-'));
    const names = Object.keys(own);
    const free = await freePorts(names.length);
    const ports = new Map(names.map((name, i) => [name, free[i] ?? 0]));
    const log = logOf(path.join(folder, 'log'), logged);
    const all = Object.entries(own).map(([name, one]) => listenerOf(name, one, ports.get(name) ?? 0, log));
    const routes = Object.entries(own).map(([name, one]) => routesOf(name, one));
    const proxy = liftProxy({ listeners: all, routes, clusters: [] });
    const listeners = all.map((one, i) => withRoutes(one, names[i] ?? '', routes[i]));
    const bootstrap = {
      static_resources: { listeners, clusters: clusters.map((one) => clusterOf(one, ports.get(one.listener) ?? 0)) },
    };
    writeFileSync(path.join(folder, 'envoy.json'), JSON.stringify(bootstrap));
    const binary = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../..') });
    const flags = ['--disable-hot-restart', '--concurrency', '1', '-l', 'error', '--file-flush-interval-msec', '20'];
    const envoy = await spawnEnvoy({ binary, args: ['-c', path.join(folder, 'envoy.json'), ...flags] });
    for (const port of free) {
      await eventually(async () => {
        const socket = connect({ host: '127.0.0.1', port });
        await once(socket, 'connect');
        socket.destroy();
      });
    }
    return new EdgeEnvoy(folder, ports, proxy, envoy);
  }

  async stop(): Promise<void> {
    this.#process.signal('SIGKILL');
    await this.#process.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  portOf(name: string): number {
    return this.#ports.get(name) ?? 0;
  }

  /** Takes the signatures of a request's tokens into account. */
  async learn(request: HttpRequest): Promise<void> {
    await this.signatures.learn(new Map([['', this.#proxy]]), request);
  }

  predict(name: string, protocol: 'http/1.1' | 'h2', request: HttpRequest): Outcome {
    const listener = this.#proxy.listeners.get(name);
    if (listener === undefined) throw new Error(name);
    const connection = {
      source: '127.0.0.1',
      destination: { address: '127.0.0.1', port: this.portOf(name) },
      protocol,
    };
    const choose = (): never => {
      throw new Error('nothing is a matter of chance');
    };
    const tokens = { now: Date.now() / 1_000, signatures: this.signatures };
    return serve(listener, connection, request, { routes: this.#proxy.routes, tokens, choose }).outcome;
  }

  /** What comes back, and what Envoy says of it in its log. */
  async observe(name: string, edge: Edge): Promise<{ status: string; details: string }> {
    const before = this.lines(name).length;
    const { status } = await exchange({
      host: '127.0.0.1',
      port: this.portOf(name),
      version: edge.protocol === 'h2' ? 2 : 1,
      bytes: bytesOf(edge).toString('base64'),
    });
    const line = await eventually(() => {
      const found = this.lines(name)[before];
      if (found === undefined) throw new Error('the log has no line of the request yet');
      return found;
    });
    return { status, details: codecDetails(line.details) };
  }

  /** What its log says of a listener's requests until now. */
  lines(name: string): readonly LogLine[] {
    const text = readFileSync(path.join(this.#folder, 'log'), 'utf8');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)])).filter((line) => line.name === name);
  }
}

/** The same form for a prediction; one that is unknown is an error. */
export function expected(outcome: Outcome): { status: string; details: string } {
  switch (outcome.kind) {
    case 'answered':
      return { status: String(outcome.status), details: codecDetails(outcome.details) };
    case 'reaches':
      return { status: '200', details: 'via_upstream' };
    case 'reset':
      return { status: 'reset', details: outcome.details };
    case 'closed':
      return { status: 'closed', details: outcome.details };
    case 'unmodelled':
      throw new Error(outcome.at);
  }
}

/** The last header over HTTP/1.1, which closes the connection, is the client's own. */
function bytesOf({ protocol, request }: Edge): Buffer {
  const { method, path: target, authority, headers } = request;
  if (protocol === 'http/1.1') {
    return http1Request({ method, target, headers: [['host', authority], ...headers.slice(0, -1)] });
  }
  const pseudo = [
    [':method', method],
    [':scheme', 'http'],
    [':path', target],
    [':authority', authority],
  ] as const;
  return http2Request([...pseudo, ...headers], hasBody(headers));
}

function logOf(file: string, headers: readonly string[]): (name: string) => object {
  const asked = Object.fromEntries(headers.map((header) => [header, `%REQ(${header})%`]));
  return (name) => ({
    name: 'file',
    typed_config: {
      '@type': `${extensions}.access_loggers.file.v3.FileAccessLog`,
      path: file,
      log_format: { json_format: { name, details: '%RESPONSE_CODE_DETAILS%', headers: asked } },
    },
  });
}

function listenerOf(
  name: string,
  { direction, settings, filters = [], router }: EdgeListener,
  port: number,
  log: (name: string) => object,
): Record<string, unknown> {
  const manager = {
    '@type': `${extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'x',
    normalize_path: true,
    use_remote_address: false,
    http2_protocol_options: { override_stream_error_on_invalid_http_message: true },
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    access_log: [log(name)],
    rds: { route_config_name: name },
    http_filters: [
      ...filters,
      { name: 'router', typed_config: { '@type': `${extensions}.filters.http.router.v3.Router`, ...router } },
    ],
    ...settings,
  };
  return {
    name,
    ...(direction !== undefined && { traffic_direction: direction }),
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ name, filters: [{ name: 'http', typed_config: manager }] }],
  };
}

function routesOf(name: string, { routes, virtualHost }: EdgeListener): Record<string, unknown> {
  return { name, virtual_hosts: [{ name, domains: ['*'], ...virtualHost, routes }] };
}

/** In place of the source of its routes, the routes themselves. */
function withRoutes(listener: Record<string, unknown>, name: string, routes: unknown): object {
  const text = JSON.stringify(listener);
  const source = JSON.stringify({ rds: { route_config_name: name } }).slice(1, -1);
  return JSON.parse(text.replace(source, () => `"route_config":${JSON.stringify(routes)}`));
}

function clusterOf({ name, protocol }: EdgeCluster, port: number): object {
  const endpoint = { address: { socket_address: { address: '127.0.0.1', port_value: port } } };
  return {
    name,
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': `${extensions}.upstreams.http.v3.HttpProtocolOptions`,
        explicit_http_config: { [protocol]: {} },
      },
    },
  };
}
