import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { delay } from '../../lib/abort.ts';
import { createMeshCa, type IssuedCertificate } from '../../testing/certificates.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { staticFormOf, withoutHostOnlyChains } from '../../testing/static-form.ts';
import {
  clientScope,
  effective,
  effectiveOutbound,
  inboundModes,
  meshService,
  meshWorkload,
  ports,
} from '../../testing/topology.ts';
import type { ListenerIR } from '../ir/listener.ts';
import { createRenderer } from '../render/render.ts';
import { createLowerCache, lower } from './lower.ts';
import { type Connection, matchChain } from './testing/match-chain.ts';

const envoyBinary = process.env.ENVOY_BINARY ?? join(import.meta.dirname, '../../../.tools/bin/envoy');
const modes = ['STRICT', 'PERMISSIVE', 'DISABLE'] as const;
const classes = ['http', 'tcp', 'auto'] as const;

const clients: Readonly<Record<string, Connection & { readonly bytes: string }>> = {
  'plain http': { alpn: ['http/1.1'], bytes: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
  'plain h2c': { alpn: ['h2c'], bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  'plain bytes': { bytes: 'neither this nor that\r\n' },
  'mesh http': { isTls: true, alpn: ['mesh-http/1.1', 'mesh'], bytes: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
  'mesh bytes': { isTls: true, alpn: ['mesh'], bytes: 'neither this nor that\r\n' },
  'own tls': { isTls: true, alpn: ['h2', 'http/1.1'], bytes: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
};

let folder: string;
let envoy: ChildProcess;
let listener: ListenerIR;
let certificate: IssuedCertificate;
let portOf: ReadonlyMap<string, number>;
interface LoggedConnection {
  /** Null where none matched. */
  readonly filter_chain: string | null;
  readonly response_flags: string;
  readonly transport_failure: string | null;
}

const logged: LoggedConnection[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chains-e2e-'));
  certificate = await (await createMeshCa()).issue('spiffe://cluster.local/ns/a/sa/x');
  await writeFile(join(folder, 'cert.pem'), certificate.certificateChain);
  await writeFile(join(folder, 'key.pem'), certificate.privateKey, { mode: 0o600 });
  await writeFile(join(folder, 'root.pem'), certificate.rootCertificate);
  const rows = [...modes.flatMap((mode) => classes.map((listened) => `${mode} ${listened}`)), 'undeclared'];
  const free = await freePorts(rows.length);
  portOf = new Map(rows.map((row, i) => [row, free[i] ?? 0]));
  await writeFile(join(folder, 'envoy.json'), JSON.stringify(configuration()));
  const args = [
    '-c',
    'envoy.json',
    '-l',
    'info',
    '--disable-hot-restart',
    '--file-flush-interval-msec',
    '5',
    '--concurrency',
    '1',
  ];
  envoy = spawn(envoyBinary, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  createInterface({ input: envoy.stdout! }).on('line', (line) => logged.push(JSON.parse(line)));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    envoy.stderr?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('starting main dispatch loop')) resolve();
    });
    envoy.on('exit', () => reject(new Error(`Envoy has ended: ${output.slice(-2000)}`)));
  });
  await logEveryConnection(100);
});

afterAll(async () => {
  if (envoy.exitCode === null) {
    envoy.kill();
    await once(envoy, 'exit');
  }
  await rm(folder, { recursive: true });
});

describe('Envoy takes the chain that the tests’ model of it takes', () => {
  const rows = [...modes.flatMap((mode) => classes.map((listened) => `${mode} ${listened}`)), 'undeclared'];
  const table = rows.flatMap((row) => Object.keys(clients).map((client) => [row, client] as const));

  test.each(table)('%s port, %s', async (row, client) => {
    const { bytes, ...connection } = clients[client] ?? { bytes: '' };
    const port = portOf.get(row) ?? 0;
    const expected = matchChain(listener, { ...connection, port })?.name ?? null;
    logged.length = 0;
    const end = await send(port, connection, bytes);
    const chains = (): (string | null)[] => logged.map(({ filter_chain }) => filter_chain);
    await expect.poll(chains, { timeout: 5000, interval: 5 }).toEqual([expected]);
    if (expected === null) expect(end).toBe('reset');
  });
});

describe('a ClientHello that comes after the time of detection', () => {
  test('takes the chain of plaintext, where there is one, and no handshake succeeds', async () => {
    logged.length = 0;
    const expected = [...portOf.values()].map((port) => String(matchChain(listener, { port })?.name));
    const ends = await Promise.all([...portOf.values()].map(sendLate));
    const chains = (): string[] => logged.map(({ filter_chain }) => String(filter_chain ?? undefined)).sort();
    await expect.poll(chains, { timeout: 5000, interval: 5 }).toEqual(expected.sort());
    expect(new Set(ends)).toEqual(new Set(['refused']));
  });
});

describe('the log of connections', () => {
  test('has no line for what succeeds, and one with its reason for each refusal', async () => {
    await logEveryConnection(0);
    logged.length = 0;
    const { bytes = '', ...plain } = clients['plain http'] ?? {};
    await send(portOf.get('PERMISSIVE http') ?? 0, plain, bytes);
    await send(portOf.get('PERMISSIVE http') ?? 0, clients['mesh http'] ?? {}, bytes);
    await send(portOf.get('DISABLE http') ?? 0, plain, bytes);
    await send(portOf.get('STRICT http') ?? 0, plain, bytes);
    await sendWithoutCertificate(portOf.get('STRICT http') ?? 0);
    await expect.poll(() => logged.length, { timeout: 5000, interval: 5 }).toBe(2);
    expect(logged).toMatchObject([
      { filter_chain: null, response_flags: 'NR', transport_failure: expect.stringContaining('HTTP_REQUEST') },
      {
        filter_chain: expect.stringContaining('-mtls-http'),
        transport_failure: expect.stringContaining('PEER_DID_NOT_RETURN_A_CERTIFICATE'),
      },
    ]);
  });

  test('says nothing of TLS where a plaintext connection succeeded and every connection is logged', async () => {
    await logEveryConnection(100);
    logged.length = 0;
    const { bytes = '', ...plain } = clients['plain http'] ?? {};
    await send(portOf.get('PERMISSIVE http') ?? 0, plain, bytes);
    await expect.poll(() => logged.length, { timeout: 5000, interval: 5 }).toBe(1);
    expect(logged).toMatchObject([{ filter_chain: expect.stringContaining('-plain-http'), response_flags: '-' }]);
    expect(logged[0]?.transport_failure || '').toBe('');
  });
});

/** As a person would ask for it at the admin interface: the share of connections that are logged although they succeed. */
function logEveryConnection(percent: number): Promise<void> {
  const path = `/runtime_modify?mesh.log_every_connection=${percent}`;
  return new Promise((resolve, reject) => {
    const options = { socketPath: join(folder, 'admin.sock'), path, method: 'POST' };
    request(options, (response) => response.resume().on('end', () => resolve()))
      .on('error', reject)
      .end();
  });
}

/** A mesh client's handshake that begins after Envoy has given up waiting for it. */
async function sendLate(port: number): Promise<'secured' | 'refused'> {
  const plain = connect({ host: '127.0.0.1', port });
  plain.on('error', () => undefined);
  await delay(defaultSettings.inboundDetectionTimeoutMs + 300);
  if (plain.destroyed) return 'refused';
  const identity = { cert: certificate.certificateChain, key: certificate.privateKey };
  const socket = connectTls({ socket: plain, ...identity, ALPNProtocols: ['mesh'], rejectUnauthorized: false });
  return new Promise((resolve) => {
    socket
      .on('error', () => undefined)
      .on('secureConnect', () => {
        resolve('secured');
        socket.destroy();
      });
    socket.on('close', () => resolve('refused'));
    plain.on('close', () => resolve('refused'));
  });
}

/** A handshake that ends without a client certificate, and with it the connection. */
async function sendWithoutCertificate(port: number): Promise<void> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['mesh'] });
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('close', resolve));
}

/** One listener on all ports: what redirection does, without it. Its clusters have no hosts: only the chain counts. */
function configuration(): object {
  const declared = [...portOf].filter(([row]) => row !== 'undeclared');
  const service = meshService('a/x', {
    ports: ports(...declared.map(([row, port]) => `${port}/${row.split(' ')[1]}`)),
  });
  const portModes = Object.fromEntries(
    declared.map(([row, port]) => [port, row.split(' ')[0] as (typeof modes)[number]]),
  );
  const answers = effective([effectiveOutbound(service)], inboundModes('PERMISSIVE', portModes));
  const workload = meshWorkload('a/x', [service]);
  const topology = {
    namespaces: new Map(),
    services: [],
    workloads: [],
    counts: { endpointsWithoutPod: 0, endpointsNotReady: 0, podsWithoutIp: 0 },
    secrets: [],
  };
  const bag = new DiagnosticBag();
  const input = { topology, effective: answers, settings: defaultSettings, scopeOf: () => clientScope() };
  const proxy = lower(workload, input, bag, createLowerCache());
  listener = proxy.inbound.listeners[0]!;
  const form = staticFormOf(createRenderer().render(proxy, bag)!) as {
    static_resources: StaticResources;
  };
  const json = form.static_resources.listeners.find(({ name }) => name === 'virtualInbound')!;
  const [first, ...others] = [...portOf.values()].map((port) => ({
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
  }));
  withFileCertificates(json);
  const clusters = form.static_resources.clusters
    .filter(({ name }) => /^(inbound|InboundPassthrough|BlackHole)/.test(name))
    .map(({ name }) => ({ name, type: 'STATIC', connect_timeout: '1s' }));
  return {
    admin: { address: { pipe: { path: 'admin.sock' } } },
    layered_runtime: { layers: [{ name: 'admin', admin_layer: {} }] },
    static_resources: {
      listeners: [{ ...withoutHostOnlyChains(json), ...first, additional_addresses: others }],
      clusters,
    },
  };
}

interface StaticResources {
  readonly listeners: readonly {
    readonly name: string;
    readonly filter_chains: readonly { readonly name: string }[];
  }[];
  readonly clusters: readonly { readonly name: string }[];
}

/** Secrets from files instead of a discovery server, which is not what is tested here. */
function withFileCertificates(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const message = node as Record<string, unknown>;
  if (message.tls_certificate_sds_secret_configs !== undefined) {
    delete message.tls_certificate_sds_secret_configs;
    message.tls_certificates = [{ certificate_chain: { filename: 'cert.pem' }, private_key: { filename: 'key.pem' } }];
  }
  const combined = message.combined_validation_context as { default_validation_context?: object } | undefined;
  if (combined !== undefined) {
    delete message.combined_validation_context;
    message.validation_context = { ...combined.default_validation_context, trusted_ca: { filename: 'root.pem' } };
  }
  for (const child of Object.values(message)) withFileCertificates(child);
}

/** Sends and waits for the end: `reset` when the connection was torn down with the bytes unread. */
async function send(port: number, { isTls, alpn }: Connection, bytes: string): Promise<'reset' | 'closed'> {
  const identity = { cert: certificate.certificateChain, key: certificate.privateKey };
  const offer = { ALPNProtocols: [...(alpn ?? [])], rejectUnauthorized: false };
  const host = '127.0.0.1';
  const socket = isTls === true ? connectTls({ host, port, ...identity, ...offer }) : connect({ host, port });
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
