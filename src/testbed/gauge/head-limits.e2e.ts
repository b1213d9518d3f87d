import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusOfReset } from '../../access/evaluate/answer.ts';
import { serve } from '../../access/evaluate/serve.ts';
import { type LiftedProxy, liftProxy } from '../../access/lift-proxy.ts';
import type { Outcome } from '../../access/outcome.ts';
import type { HttpRequest } from '../../access/request.ts';
import { Signatures } from '../../access/signatures.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { codecDetails } from '../../gauge/differences.ts';
import { hasBody } from '../../gauge/http2-client.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { type Edge, edges } from '../../testing/head-edges.ts';
import { headerValues, refererValues, routedHeaders } from '../../testing/header-values.ts';
import { exchange } from '../wire/exchange.ts';
import { http1Request } from '../wire/http1.ts';
import { http2Request } from '../wire/http2.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'head-limits-'));
const log = path.join(folder, 'log');
const extensions = 'type.googleapis.com/envoy.extensions';
const names = ['usual', 'narrow', 'before HTTP/1.1', 'before HTTP/2', 'headers', 'application'] as const;
type Name = (typeof names)[number];

const own: Readonly<Record<Name, { readonly settings: object; readonly cluster: string }>> = {
  usual: { settings: {}, cluster: 'application' },
  narrow: {
    settings: {
      max_request_headers_kb: 4,
      common_http_protocol_options: { max_headers_count: 20, headers_with_underscores_action: 'REJECT_REQUEST' },
    },
    cluster: 'application',
  },
  'before HTTP/1.1': { settings: {}, cluster: 'usual' },
  'before HTTP/2': { settings: {}, cluster: 'usual over HTTP/2' },
  headers: { settings: {}, cluster: '' },
  // Takes whatever the others take.
  application: {
    settings: { max_request_headers_kb: 1_024, common_http_protocol_options: { max_headers_count: 1_000 } },
    cluster: '',
  },
};

function listenerOf(name: Name, port: number): Record<string, unknown> {
  const manager = {
    '@type': `${extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'x',
    normalize_path: true,
    use_remote_address: false,
    http2_protocol_options: { override_stream_error_on_invalid_http_message: true },
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    access_log: [
      {
        name: 'file',
        typed_config: {
          '@type': `${extensions}.access_loggers.file.v3.FileAccessLog`,
          path: log,
          log_format: { json_format: { name, details: '%RESPONSE_CODE_DETAILS%' } },
        },
      },
    ],
    rds: { route_config_name: name },
    http_filters: [{ name: 'router', typed_config: { '@type': `${extensions}.filters.http.router.v3.Router` } }],
    ...own[name].settings,
  };
  return {
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ name, filters: [{ name: 'http', typed_config: manager }] }],
  };
}

function routesOf(name: Name): Record<string, unknown> {
  const { cluster } = own[name];
  const action = cluster === '' ? { direct_response: { status: 200 } } : { route: { cluster, timeout: '0s' } };
  const last = { match: { prefix: '/' }, name, ...action };
  const routes = name === 'headers' ? [...routesByHeaders(), refererRoute, last] : [last];
  return { name, virtual_hosts: [{ name, domains: ['*'], routes }] };
}

/** Each header under test is in one of these routes, by the value that its lines have together; the status tells which. */
function routesByHeaders(): readonly object[] {
  return routedHeaders.flatMap((name) =>
    ['a', 'a,b', 'a; b', 'b', ''].map((exact, i) => {
      const headers = [{ name, string_match: { exact } }];
      return { match: { prefix: '/', headers }, name: `${name} ${i}`, direct_response: { status: 201 + i } };
    }),
  );
}

const refererRoute = {
  match: { prefix: '/', headers: [{ name: 'referer', present_match: true }] },
  name: 'referer',
  direct_response: { status: 210 },
};

/** In place of the source of its routes, the routes themselves. */
function withRoutes(listener: Record<string, unknown>, name: Name): object {
  const text = JSON.stringify(listener);
  const source = JSON.stringify({ rds: { route_config_name: name } }).slice(1, -1);
  return JSON.parse(text.replace(source, `"route_config":${JSON.stringify(routesOf(name))}`));
}

function clusterOf(name: string, port: number, protocol: object): object {
  const endpoint = { address: { socket_address: { address: '127.0.0.1', port_value: port } } };
  return {
    name,
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': `${extensions}.upstreams.http.v3.HttpProtocolOptions`,
        explicit_http_config: protocol,
      },
    },
  };
}

let envoy: EnvoyProcess;
let ports: readonly number[];
let proxy: LiftedProxy;
const portOf = (name: Name): number => ports[names.indexOf(name)] ?? 0;

beforeAll(async () => {
  ports = await freePorts(names.length);
  const listeners = names.map((name) => listenerOf(name, portOf(name)));
  proxy = liftProxy({ listeners, routes: names.map(routesOf), clusters: [] });
  const clusters = [
    clusterOf('application', portOf('application'), { http_protocol_options: {} }),
    clusterOf('usual', portOf('usual'), { http_protocol_options: {} }),
    clusterOf('usual over HTTP/2', portOf('usual'), { http2_protocol_options: {} }),
  ];
  const bootstrap = {
    static_resources: { listeners: listeners.map((one, i) => withRoutes(one, names[i]!)), clusters },
  };
  writeFileSync(path.join(folder, 'envoy.json'), JSON.stringify(bootstrap));
  const binary = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../../..') });
  const flags = ['--disable-hot-restart', '--concurrency', '1', '-l', 'error', '--file-flush-interval-msec', '20'];
  envoy = await spawnEnvoy({ binary, args: ['-c', path.join(folder, 'envoy.json'), ...flags] });
  for (const port of ports) {
    await eventually(async () => {
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      socket.destroy();
    });
  }
}, 120_000);

afterAll(async () => {
  envoy.signal('SIGKILL');
  await envoy.exited;
  rmSync(folder, { recursive: true, force: true });
});

function predict(name: Name, protocol: 'http/1.1' | 'h2', request: HttpRequest): Outcome {
  const listener = proxy.listeners.get(name);
  if (listener === undefined) throw new Error(name);
  const connection = { source: '127.0.0.1', destination: { address: '127.0.0.1', port: portOf(name) }, protocol };
  const tokens = { now: 0, signatures: new Signatures() };
  const choose = (): never => {
    throw new Error('nothing is a matter of chance');
  };
  return serve(listener, connection, request, { routes: proxy.routes, tokens, choose }).outcome;
}

/** What comes back, and what Envoy says of it in its log. */
async function observe(name: Name, { protocol, request }: Edge): Promise<{ status: string; details: string }> {
  const { method, path: target, authority, headers } = request;
  const before = linesOf(name).length;
  const pseudo = [
    [':method', method],
    [':scheme', 'http'],
    [':path', target],
    [':authority', authority],
  ] as const;
  const bytes =
    protocol === 'h2'
      ? http2Request([...pseudo, ...headers], hasBody(headers))
      : http1Request({ method, target, headers: [['host', authority], ...headers.slice(0, -1)] });
  const version = protocol === 'h2' ? 2 : 1;
  const { status } = await exchange({
    host: '127.0.0.1',
    port: portOf(name),
    version,
    bytes: bytes.toString('base64'),
  });
  const line = await eventually(() => {
    const found = linesOf(name)[before];
    if (found === undefined) throw new Error('the log has no line of the request yet');
    return found;
  });
  return { status, details: codecDetails(line.details) };
}

function linesOf(name: Name): readonly { readonly name: string; readonly details: string }[] {
  const text = readFileSync(log, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)])).filter((line) => line.name === name);
}

function expected(outcome: Outcome): object {
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

describe('requests at the edges of what Envoy takes', () => {
  test.each(edges('usual'))('the usual limits: $name', async (edge) => {
    const outcome = predict('usual', edge.protocol, edge.request);
    expect(outcome.kind === 'unmodelled').toBe(edge.unknown === 'all');
    if (outcome.kind !== 'unmodelled') expect(await observe('usual', edge)).toEqual(expected(outcome));
  });

  test.each([...headerValues(), ...refererValues()])('lines of a header: $name', async (edge) => {
    expect(await observe('headers', edge)).toEqual(expected(predict('headers', edge.protocol, edge.request)));
  });

  test.each(edges('narrow'))('limits in the configuration: $name', async (edge) => {
    expect(await observe('narrow', edge)).toEqual(expected(predict('narrow', edge.protocol, edge.request)));
  });

  test.each(edges('behind a proxy'))('limits of the next proxy: $name', async (edge) => {
    for (const [front, protocol] of [
      ['before HTTP/1.1', 'http/1.1'],
      ['before HTTP/2', 'h2'],
    ] as const) {
      const first = predict(front, edge.protocol, edge.request);
      if (first.kind !== 'reaches' || first.request === undefined) throw new Error(first.kind);
      const second = predict('usual', protocol, first.request);
      const isUnknown = edge.unknown?.includes(protocol) === true;
      expect(second.kind === 'unmodelled', front).toBe(isUnknown);
      if (isUnknown) continue;
      const { status } = await observe(front, edge);
      // The client of a stream that the next proxy resets gets an answer of the first.
      const answer = second.kind === 'answered' ? second.status : 200;
      expect(status, front).toBe(String(second.kind === 'reset' ? statusOfReset(second.details) : answer));
    }
  });
});
