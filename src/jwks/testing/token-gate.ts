import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { delay } from '../../lib/abort.ts';

/** A real Envoy that answers 200 to all that its token check lets through. */
export interface TokenGate {
  /** The status for a request with this bearer token, or without one. */
  status(token?: string): Promise<number>;
  close(): Promise<void>;
}

const binary = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../../..') });

/** Starts Envoy with a key set inline for one issuer, on a Unix socket; throws when Envoy refuses the set. */
export async function startTokenGate(issuer: string, keySet: string): Promise<TokenGate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'token-gate-'));
  const socketPath = path.join(folder, 'l.sock');
  const file = path.join(folder, 'bootstrap.json');
  await writeFile(file, JSON.stringify(bootstrap(socketPath, issuer, keySet)));
  const envoy = await spawnEnvoy({
    binary,
    args: ['-c', file, '--disable-hot-restart', '-l', 'critical'],
    output: 'ignore',
  });
  const close = async (): Promise<void> => {
    envoy.signal('SIGKILL');
    await envoy.exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await listening(envoy, socketPath);
  } catch (error) {
    await close();
    throw error;
  }
  return { status: (token) => ask(socketPath, token), close };
}

async function listening(envoy: EnvoyProcess, socketPath: string): Promise<void> {
  let hasExited = false;
  void envoy.exited.then(() => {
    hasExited = true;
  });
  while (!hasExited) {
    const status = await ask(socketPath).catch(() => undefined);
    if (status !== undefined) return;
    await delay(20);
  }
  throw new Error('Envoy refused the key set');
}

function ask(socketPath: string, token?: string): Promise<number> {
  const headers = { host: 'a', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

function bootstrap(socketPath: string, issuer: string, keySet: string): object {
  const filters = 'type.googleapis.com/envoy.extensions.filters';
  const jwt = {
    '@type': `${filters}.http.jwt_authn.v3.JwtAuthentication`,
    providers: { a: { issuer, local_jwks: { inline_string: keySet } } },
    rules: [
      {
        match: { prefix: '/' },
        requires: { requires_any: { requirements: [{ provider_name: 'a' }, { allow_missing: {} }] } },
      },
    ],
  };
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'test',
    route_config: {
      virtual_hosts: [
        { name: 'a', domains: ['*'], routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }] },
      ],
    },
    http_filters: [
      { name: 'envoy.filters.http.jwt_authn', typed_config: jwt },
      { name: 'envoy.filters.http.router', typed_config: { '@type': `${filters}.http.router.v3.Router` } },
    ],
  };
  const chain = { filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] };
  const listener = { name: 'l', address: { pipe: { path: socketPath } }, filter_chains: [chain] };
  return { node: { id: 'test', cluster: 'test' }, static_resources: { listeners: [listener] } };
}
