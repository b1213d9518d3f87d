import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { envoyBinary } from '../agent/testing/agent-bench.ts';
import { systemClock } from '../lib/clock.ts';
import { createMeshCa } from '../testing/certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { createCloudExchange } from './cloud-exchange.ts';
import { jwtType } from './names.ts';
import { serveTokens, type TokenServer } from './serve-tokens.ts';
import { canaries, startTestCloud, type TestCloud, workloadToken } from './testing/test-cloud.ts';

/** A control plane that only looks at who asks. */
interface Witness {
  readonly port: number;
  readonly roots: string;
  readonly shown: readonly unknown[];
  close(): void;
}

async function startWitness(): Promise<Witness> {
  const ca = await createMeshCa();
  const own = await ca.issue('', { uris: [], dnsNames: ['localhost'] });
  const shown: unknown[] = [];
  const bytes = (buffer: Buffer): Buffer => buffer;
  const path = '/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters';
  const server = new Server();
  const method = { path, requestStream: true, responseStream: true } as const;
  const codec = {
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
  server.addService(
    { StreamClusters: { ...method, ...codec } },
    {
      StreamClusters: (call: ServerDuplexStream<Buffer, Buffer>) => void shown.push(call.metadata.get('authorization')),
    },
  );
  const pair = { private_key: Buffer.from(own.privateKey), cert_chain: Buffer.from(own.certificateChain) };
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createSsl(null, [pair]);
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { port, roots: ca.rootCertificate, shown, close: () => server.forceShutdown() };
}

/** Envoy's gRPC client of Google, with call credentials of a token service (envoy.config.core.v3.GrpcService). */
function bootstrapOf(witness: Witness, tokenPort: number, tokenPath: string): object {
  const sts = {
    token_exchange_service_uri: `http://127.0.0.1:${tokenPort}/token`,
    subject_token_path: tokenPath,
    subject_token_type: jwtType,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  };
  const client = {
    target_uri: `localhost:${witness.port}`,
    stat_prefix: 'witness',
    channel_credentials: { ssl_credentials: { root_certs: { inline_string: witness.roots } } },
    call_credentials: [{ sts_service: sts }],
  };
  const source = { api_type: 'GRPC', transport_api_version: 'V3', grpc_services: [{ google_grpc: client }] };
  return {
    node: { id: 'n', cluster: 'c' },
    dynamic_resources: { cds_config: { resource_api_version: 'V3', api_config_source: source } },
  };
}

describe('Envoy as a client of the token service', () => {
  let folder: string;
  let cloud: TestCloud;
  let server: TokenServer;
  let witness: Witness;
  let envoy: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sts-envoy-'));
    cloud = await startTestCloud();
    witness = await startWitness();
    const endpoints = { securityTokens: cloud.origin, credentials: cloud.origin };
    const { roots } = cloud;
    const of = { trustDomain: 'cluster.local', clusterUrl: 'https://c', endpoints, roots, clock: systemClock };
    const manager = createCloudExchange(of, '7');
    server = await serveTokens({ host: '127.0.0.1', port: 0, manager, clock: systemClock });
  });
  afterEach(async () => {
    envoy?.kill('SIGKILL');
    await server.close();
    witness.close();
    cloud.close();
    await rm(folder, { recursive: true });
  });

  test('sends its control plane the token that it got in exchange for its own', async () => {
    const token = workloadToken();
    const tokenPath = join(folder, 'token');
    await writeFile(tokenPath, token);
    const config = join(folder, 'bootstrap.json');
    await writeFile(config, JSON.stringify(bootstrapOf(witness, server.port, tokenPath)));
    let log = '';
    envoy = spawn(envoyBinary(), ['-c', config, '--use-dynamic-base-id', '--concurrency', '1', '-l', 'warning'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    envoy.stderr?.on('data', (text) => (log += text));
    await eventually(() => expect(witness.shown, log).not.toEqual([]));
    expect(witness.shown[0]).toEqual([`Bearer ${canaries.access}`]);
    expect(JSON.parse(cloud.seen[0]?.body ?? '')).toMatchObject({ subjectToken: token });
  });
});
