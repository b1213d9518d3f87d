import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyWay } from '../../access/evaluate/choices.ts';
import { serve } from '../../access/evaluate/serve.ts';
import { liftProxy } from '../../access/lift-proxy.ts';
import type { Connection } from '../../access/request.ts';
import { Signatures } from '../../access/signatures.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'curl-exits-'));
const extensions = 'type.googleapis.com/envoy.extensions';

const http = {
  name: 'http',
  typed_config: {
    '@type': `${extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'x',
    route_config: { name: 'x', virtual_hosts: [] },
    http_filters: [{ name: 'router', typed_config: { '@type': `${extensions}.filters.http.router.v3.Router` } }],
  },
};
const denied = {
  name: 'rules',
  typed_config: {
    '@type': `${extensions}.filters.network.rbac.v3.RBAC`,
    stat_prefix: 'x',
    rules: { action: 'ALLOW', policies: {} },
  },
};

function tls(requiresCertificate: boolean): object {
  return {
    name: 'tls',
    typed_config: {
      '@type': `${extensions}.transport_sockets.tls.v3.DownstreamTlsContext`,
      require_client_certificate: requiresCertificate,
      common_tls_context: {
        alpn_protocols: ['h2', 'http/1.1'],
        tls_certificates: [
          {
            certificate_chain: { filename: path.join(folder, 'server.pem') },
            private_key: { filename: path.join(folder, 'server-key.pem') },
          },
        ],
        ...(requiresCertificate && {
          validation_context: { trusted_ca: { filename: path.join(folder, 'root.pem') } },
        }),
      },
    },
  };
}

const onlyTls = { transport_protocol: 'tls' };
/** One filter chain a listener. */
const chains = {
  'takes one server name': {
    filter_chain_match: { ...onlyTls, server_names: ['only.test'] },
    transport_socket: tls(false),
    filters: [http],
  },
  'has no filter': { filters: [] },
  'has no filter in TLS': { filter_chain_match: onlyTls, transport_socket: tls(false), filters: [] },
  'requires a certificate': { filter_chain_match: onlyTls, transport_socket: tls(true), filters: [http] },
  'takes everything for TLS': { transport_socket: tls(false), filters: [http] },
  'denies in TLS': { filter_chain_match: onlyTls, transport_socket: tls(false), filters: [denied, http] },
  'denies in plain text': { filters: [denied, http] },
  'takes plain text': { filters: [http] },
  'has no filter, behind no inspector,': { filters: [] },
  'takes another port, behind no inspector,': { filter_chain_match: { destination_port: 1 }, filters: [http] },
} as const;
const withoutInspector = /behind no inspector/;

type Chain = keyof typeof chains;

const clients: readonly {
  readonly name: string;
  readonly scheme: 'http' | 'https';
  readonly protocol: 'http/1.1' | 'h2';
  readonly words: readonly string[];
}[] = [
  { name: 'HTTP/1.1', scheme: 'http', protocol: 'http/1.1', words: ['--http1.1'] },
  { name: 'HTTP/2', scheme: 'http', protocol: 'h2', words: ['--http2-prior-knowledge'] },
  { name: 'HTTP/1.1 in TLS', scheme: 'https', protocol: 'http/1.1', words: ['--http1.1', '--insecure'] },
  { name: 'HTTP/2 in TLS', scheme: 'https', protocol: 'h2', words: ['--http2', '--insecure'] },
];

/** Client and chain that suit each other are left out. */
const suitable: readonly string[] = ['takes plain text, http', 'takes everything for TLS, https'];

/** Connections that are closed. */
const rows: readonly (readonly [chain: Chain, client: string, method: string])[] = [
  ...clients.flatMap(({ name, scheme }) =>
    (Object.keys(chains) as Chain[])
      .filter((chain) => !suitable.includes(`${chain}, ${scheme}`))
      .map((chain) => [chain, name, 'GET'] as const),
  ),
  ...['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => ['takes everything for TLS', 'HTTP/1.1', method] as const),
];

let envoy: EnvoyProcess;
let ports: readonly number[];
let listeners: readonly Record<string, unknown>[];

beforeAll(async () => {
  const authority = await createMeshCa();
  const server = await authority.issue('spiffe://cluster.local/ns/foo/sa/server');
  writeFileSync(path.join(folder, 'server.pem'), server.certificateChain);
  writeFileSync(path.join(folder, 'server-key.pem'), server.privateKey, { mode: 0o600 });
  writeFileSync(path.join(folder, 'root.pem'), server.rootCertificate);
  ports = await freePorts(Object.keys(chains).length);
  const inspector = {
    name: 'inspector',
    typed_config: { '@type': `${extensions}.filters.listener.tls_inspector.v3.TlsInspector` },
  };
  listeners = Object.entries(chains).map(([name, chain], i) => ({
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: ports[i] } },
    listener_filters: withoutInspector.test(name) ? [] : [inspector],
    filter_chains: [{ name, ...chain }],
  }));
  writeFileSync(path.join(folder, 'envoy.json'), JSON.stringify({ static_resources: { listeners } }));
  const binary = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../../..') });
  const flags = ['--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
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

test.each(rows)(
  'curl exits as predicted where the chain %s, as a client of %s with %s',
  {
    timeout: 180_000,
  },
  async (chain, name, method) => {
    const client = clients.find((one) => one.name === name);
    if (client === undefined) throw new Error(name);
    const port = ports[Object.keys(chains).indexOf(chain)] ?? 0;
    const connection: Connection = {
      source: '127.0.0.1',
      destination: { address: '127.0.0.1', port },
      protocol: client.protocol,
      ...(client.scheme === 'https' && { tls: { alpn: [client.protocol] } }),
    };
    const proxy = liftProxy({ listeners, routes: [], clusters: [] });
    const listener = proxy.listeners.get(chain);
    if (listener === undefined) throw new Error(chain);
    const request = { method, path: '/', authority: `127.0.0.1:${port}`, headers: [] };
    const tokens = { now: 0, signatures: new Signatures() };
    const outcomes = everyWay(
      (choose) => serve(listener, connection, request, { routes: proxy.routes, tokens, choose }).outcome,
    );
    const [outcome] = outcomes.map(({ result }) => result);
    if (outcome === undefined || outcomes.length > 1) throw new Error('nothing is a matter of chance');
    if (outcome.kind !== 'closed') throw new Error(`predicted: ${outcome.kind}`);
    const words = [...client.words, '--request', method, `${client.scheme}://127.0.0.1:${port}/`];
    for (let i = 0; i < 3; i++) expect(outcome.exitCodes).toContain(await exitOf(words));
  },
);

async function exitOf(words: readonly string[]): Promise<number> {
  const own = ['--silent', '--noproxy', '*', '--max-time', '60', '--output', '/dev/null'];
  const [code] = await once(spawn('curl', [...own, ...words], { stdio: 'ignore' }), 'exit');
  return code;
}
