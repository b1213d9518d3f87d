import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { createMeshCa, type IssuedCertificate } from '../../../testing/certificates.ts';
import { freePorts } from '../../../testing/free-ports.ts';
import { staticFormOf, withoutHostOnlyChains } from '../../../testing/static-form.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  inboundModes,
  meshService,
  meshTopology,
  meshWorkload,
  ports,
} from '../../../testing/topology.ts';
import type { ListenerIR } from '../../ir/listener.ts';
import { createRenderer } from '../../render/render.ts';
import { createLowerCache, lower } from '../lower.ts';
import { withFileCertificates } from './file-certificates.ts';
import type { Connection } from './match-chain.ts';

const envoyBinary = process.env.ENVOY_BINARY ?? join(import.meta.dirname, '../../../../.tools/bin/envoy');
const modes = ['STRICT', 'PERMISSIVE', 'DISABLE'] as const;
const classes = ['http', 'tcp', 'auto'] as const;

/** A port for each mode and class of protocol, and one that is not declared. */
export const chainRows: readonly string[] = [
  ...modes.flatMap((mode) => classes.map((listened) => `${mode} ${listened}`)),
  'undeclared',
];

/** What clients send first, by the kind of client. */
export const chainClients: Readonly<Record<string, Connection & { readonly bytes: string }>> = {
  'plain http': { alpn: ['http/1.1'], bytes: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
  'plain h2c': { alpn: ['h2c'], bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  'plain bytes': { bytes: 'neither this nor that\r\n' },
  'mesh http': { isTls: true, alpn: ['mesh-http/1.1', 'mesh'], bytes: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
  'mesh bytes': { isTls: true, alpn: ['mesh'], bytes: 'neither this nor that\r\n' },
  'own tls': { isTls: true, alpn: ['h2', 'http/1.1'], bytes: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
};

/** A connection as Envoy logs it at its end. */
export interface LoggedConnection {
  /** Null where none matched. */
  readonly filter_chain: string | null;
  readonly response_flags: string;
  readonly transport_failure: string | null;
}

/** A real Envoy with the inbound listener of a workload on one port for each of `chainRows`, without redirection. */
export interface ChainEnvoy {
  readonly listener: ListenerIR;
  readonly portOf: ReadonlyMap<string, number>;
  /** Of the mesh's authority: a client's, and the workload's. */
  readonly certificate: IssuedCertificate;
  /** Connections that have ended; whoever waits for some empties it before. */
  readonly logged: LoggedConnection[];
  /** Sets the share of connections, in percent, that are logged although they succeed; 100 at the start. */
  logEveryConnection(percent: number): Promise<void>;
  /** Sends and waits for the end: `reset` when the connection was torn down with the bytes unread. */
  send(port: number, connection: Connection, bytes: string): Promise<'reset' | 'closed'>;
  close(): Promise<void>;
}

/** Starts it on free ports; its clusters have no hosts, only the chain counts. */
export async function startChainEnvoy(): Promise<ChainEnvoy> {
  const folder = await mkdtemp(join(tmpdir(), 'chains-e2e-'));
  const certificate = await (await createMeshCa()).issue('spiffe://cluster.local/ns/a/sa/x');
  await writeFile(join(folder, 'cert.pem'), certificate.certificateChain);
  await writeFile(join(folder, 'key.pem'), certificate.privateKey, { mode: 0o600 });
  await writeFile(join(folder, 'root.pem'), certificate.rootCertificate);
  const free = await freePorts(chainRows.length);
  const portOf = new Map(chainRows.map((row, i) => [row, free[i] ?? 0]));
  const { json, listener } = configurationOf(portOf);
  await writeFile(join(folder, 'envoy.json'), JSON.stringify(json));
  const logged: LoggedConnection[] = [];
  const envoy = await startEnvoy(folder, logged);
  await logEveryConnection(folder, 100);
  return {
    ...{ listener, portOf, certificate, logged },
    logEveryConnection: (percent) => logEveryConnection(folder, percent),
    send: (port, connection, bytes) => send(port, connection, bytes, certificate),
    close: async () => {
      if (envoy.exitCode === null) {
        envoy.kill();
        await once(envoy, 'exit');
      }
      await rm(folder, { recursive: true });
    },
  };
}

async function startEnvoy(folder: string, logged: LoggedConnection[]): Promise<ChildProcess> {
  const flags = ['--disable-hot-restart', '--file-flush-interval-msec', '5', '--concurrency', '1'];
  const envoy = spawn(envoyBinary, ['-c', 'envoy.json', '-l', 'info', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface({ input: envoy.stdout }).on('line', (line) => logged.push(JSON.parse(line)));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    envoy.stderr.on('data', (chunk) => {
      output += chunk;
      if (output.includes('starting main dispatch loop')) resolve();
    });
    envoy.on('exit', () => reject(new Error(`Envoy has ended: ${output.slice(-2000)}`)));
  });
  return envoy;
}

/** As a person would ask for it at the admin interface: the share of connections that are logged although they succeed. */
function logEveryConnection(folder: string, percent: number): Promise<void> {
  const path = `/runtime_modify?mesh.log_every_connection=${percent}`;
  return new Promise((resolve, reject) => {
    const options = { socketPath: join(folder, 'admin.sock'), path, method: 'POST' };
    request(options, (response) => response.resume().on('end', () => resolve()))
      .on('error', reject)
      .end();
  });
}

/** One listener on all ports: what redirection does, without it. Its clusters have no hosts: only the chain counts. */
function configurationOf(portOf: ReadonlyMap<string, number>): {
  readonly json: object;
  readonly listener: ListenerIR;
} {
  const declared = [...portOf].filter(([row]) => row !== 'undeclared');
  const service = meshService('a/x', {
    ports: ports(...declared.map(([row, port]) => `${port}/${row.split(' ')[1]}`)),
  });
  const portModes = Object.fromEntries(
    declared.map(([row, port]) => [port, row.split(' ')[0] as (typeof modes)[number]]),
  );
  const answers = effective([effectiveOutbound(service)], inboundModes('PERMISSIVE', portModes));
  const workload = meshWorkload('a/x', [service]);
  const topology = meshTopology();
  const bag = new DiagnosticBag();
  const input = { topology, effective: answers, settings: defaultSettings, scopeOf: () => clientScope() };
  const proxy = lower(workload, input, bag, createLowerCache());
  const [listener] = proxy.inbound.listeners;
  const config = createRenderer().render(proxy, bag);
  if (listener === undefined || config === undefined) throw new Error('the workload has no inbound listener');
  const form = staticFormOf(config) as { static_resources: StaticResources };
  const virtualInbound = form.static_resources.listeners.find(({ name }) => name === 'virtualInbound');
  if (virtualInbound === undefined) throw new Error('the configuration has no inbound listener');
  const [first, ...others] = [...portOf.values()].map((port) => ({
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
  }));
  withFileCertificates(virtualInbound);
  const clusters = form.static_resources.clusters
    .filter(({ name }) => /^(inbound|InboundPassthrough|BlackHole)/.test(name))
    .map(({ name }) => ({ name, type: 'STATIC', connect_timeout: '1s' }));
  const configuration = {
    admin: { address: { pipe: { path: 'admin.sock' } } },
    layered_runtime: { layers: [{ name: 'admin', admin_layer: {} }] },
    static_resources: {
      listeners: [{ ...withoutHostOnlyChains(virtualInbound), ...first, additional_addresses: others }],
      clusters,
    },
  };
  return { json: configuration, listener };
}

interface StaticResources {
  readonly listeners: readonly {
    readonly name: string;
    readonly filter_chains: readonly { readonly name: string }[];
  }[];
  readonly clusters: readonly { readonly name: string }[];
}

/** Sends and waits for the end: `reset` when the connection was torn down with the bytes unread. */
async function send(
  port: number,
  { isTls, alpn }: Connection,
  bytes: string,
  { certificateChain: cert, privateKey: key }: IssuedCertificate,
): Promise<'reset' | 'closed'> {
  const offer = { ALPNProtocols: [...(alpn ?? [])], rejectUnauthorized: false };
  const host = '127.0.0.1';
  const socket = isTls === true ? connectTls({ host, port, cert, key, ...offer }) : connect({ host, port });
  return new Promise((resolve) => {
    let isReset = false;
    socket.on(isTls === true ? 'secureConnect' : 'connect', () => socket.write(bytes));
    // An answer is as good as an end: the chain is chosen.
    socket.on('data', () => socket.destroy());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isReset = error.code === 'ECONNRESET';
    });
    socket.on('close', () => resolve(isReset ? 'reset' : 'closed'));
  });
}
