import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectedVersions, missingVersions, waitInForce } from '../agent/reload/in-force.ts';
import { partsOf } from '../agent/reload/proxy-files.ts';
import { secretResources } from '../agent/secrets/secret-resources.ts';
import type { ProxyFiles } from '../contracts/proxy-files.ts';
import { createAdminClient } from '../envoy/admin.ts';
import type { ResourceFile } from '../envoy/api/resource-file.ts';
import { findEnvoy, spawnEnvoy } from '../envoy/process.ts';
import { staticForm } from '../envoy/static-form.ts';
import { readConfigState } from '../envoy/testing/config-state.ts';
import { readServerState } from '../envoy/testing/server-state.ts';
import { validateConfig } from '../envoy/validate.ts';
import { until } from '../testbed/until.ts';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import { distinctGoldenProxies, goldenProxies } from '../testing/golden/read.ts';
import { fileOfText } from '../testing/resource-files.ts';
import { secretService } from '../xds/secret-service.ts';
import { startDiscoveryServer } from '../xds/server.ts';

const binary = findEnvoy({ proxyBinary: undefined, env: process.env, repositoryRoot: process.cwd() });
const proxies = distinctGoldenProxies();
let folder: string;
let ca: MeshCa;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'golden-'));
  ca = await createMeshCa();
  const { certificateChain, privateKey, rootCertificate } = await ca.issue('spiffe://cluster.local/ns/a/sa/client');
  write('certs/client.pem', certificateChain);
  write('certs/client-key.pem', privateKey);
  write('certs/ca.pem', rootCertificate);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('envoy --mode validate', () => {
  test.concurrent.each(proxies)('accepts $name', async ({ files }) => {
    expect(await validateConfig(binary, staticForm(partsOf(onThisMachine(files))))).toMatchObject({ ok: true });
  });

  test.each([
    ['listener', 'listeners', '"filter_chains"', '"filter_chain"'],
    ['cluster', 'clusters', '"connect_timeout": "10s"', '"connect_timeout": "-1s"'],
    ['route', 'routes', '"prefix": "/"', '"prefixes": "/"'],
  ] as const)('refuses a corrupted %s', async (_, part, good, bad) => {
    const files = corrupted(sound(), part, good, bad);
    expect(await validateConfig(binary, staticForm(partsOf(files)))).toMatchObject({ ok: false });
  });
});

describe('a live Envoy', () => {
  test.concurrent.each(proxies)('puts $name in force', async ({ files }) => {
    const outcome = await runLive(onThisMachine(files));
    expect(outcome).toEqual({ isInForce: true, state: 'LIVE' });
  });

  test.each([
    ['listener', 'listeners', '"filter_chains"', '"filter_chain"'],
    ['cluster', 'clusters', '"connect_timeout": "10s"', '"connect_timeout": "-1s"'],
    ['route', 'routes', '"prefix": "/"', '"prefixes": "/"'],
  ] as const)('does not put a corrupted %s in force', async (_, part, good, bad) => {
    const outcome = await runLive(corrupted(sound(), part, good, bad), 2_000);
    expect(outcome.isInForce).toBe(false);
  });
});

/** A golden as the tests of corruption start from. */
function sound(): ProxyFiles {
  const [proxy] = goldenProxies('peer-default');
  if (proxy === undefined) throw new Error('the case has no proxy');
  return onThisMachine(proxy.files);
}

/** Certificates are read where the test has put them. */
function onThisMachine(files: ProxyFiles): ProxyFiles {
  const moved = (text: string): string => text.replaceAll('/etc/certs/', `${folder}/certs/`);
  const movedFile = ({ text }: ResourceFile): ResourceFile => fileOfText(moved(text));
  return {
    ...files,
    bootstrap: JSON.parse(moved(JSON.stringify(files.bootstrap))),
    clusters: movedFile(files.clusters),
    listeners: movedFile(files.listeners),
    routes: new Map([...files.routes].map(([name, file]) => [name, movedFile(file)])),
  };
}

function corrupted(
  files: ProxyFiles,
  part: 'listeners' | 'clusters' | 'routes',
  good: string,
  bad: string,
): ProxyFiles {
  const corrupt = ({ text }: ResourceFile): ResourceFile => {
    expect(text).toContain(good);
    return fileOfText(text.replace(good, bad));
  };
  if (part !== 'routes') return { ...files, [part]: corrupt(files[part]) };
  return { ...files, routes: new Map([...files.routes].map(([name, file]) => [name, corrupt(file)])) };
}

interface LiveOutcome {
  readonly isInForce: boolean;
  readonly state?: string;
  readonly missing?: readonly string[];
}

/** Runs Envoy on the files as the agent lays them out, in a network namespace of its own, with secrets served to it. */
async function runLive(files: ProxyFiles, timeoutMs = 20_000): Promise<LiveOutcome> {
  const root = mkdtempSync(join(folder, 'live-'));
  const { admin: _admin, ...bootstrap } = files.bootstrap;
  const configPath = JSON.stringify(bootstrap).includes('./run/proxy') ? 'run/proxy' : 'etc/mesh/proxy';
  const place = (path: string, text: string): void =>
    write(join(root.slice(folder.length + 1), configPath, path), text);
  place('bootstrap.json', JSON.stringify({ ...bootstrap, admin: { address: { pipe: { path: 'admin.sock' } } } }));
  place('clusters.json', files.clusters.text);
  place('listeners.json', files.listeners.text);
  for (const [name, { text }] of files.routes) place(join('routes', name), text);
  mkdirSync(join(root, configPath, 'routes'), { recursive: true });

  const { rootCertificate, ...leaf } = await ca.issue('spiffe://cluster.local/ns/a/sa/httpbin');
  const secrets = secretResources({ ...leaf, rootCertificates: rootCertificate } as Parameters<
    typeof secretResources
  >[0]);
  const server = await startDiscoveryServer(join(root, configPath, 'SDS'), [secretService(secrets)]);
  const envoy = await spawnEnvoy({
    binary: 'unshare',
    args: [
      '--net',
      ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
      'sh',
      '-c',
      namespaceScript,
      binary,
      configPath,
    ],
    cwd: root,
    output: 'ignore',
  });
  try {
    const admin = createAdminClient({ socketPath: join(root, 'admin.sock') });
    const expected = expectedVersions(files);
    const wait = await waitInForce(admin, expected, {
      timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
      refusalsBefore: 0,
    });
    if (!wait.isInForce) return { isInForce: false, missing: wait.missing };
    expect(missingVersions(expected, await readConfigState(admin))).toEqual([]);
    // A gateway's secret that nobody serves is waited for, for two seconds.
    const isLive = async () => ((await readServerState(admin)) === 'LIVE' ? true : undefined);
    await until(isLive, { timeoutMs, otherwise: async () => 'Envoy does not come to life' });
    const state = await readServerState(admin);
    return { isInForce: true, state };
  } finally {
    envoy.signal('SIGKILL');
    await envoy.exited;
    await server.close();
  }
}

const namespaceScript =
  'ip link set lo up && ip -6 addr add ::6/128 dev lo; exec "$0" -c "$1/bootstrap.json" --disable-hot-restart -l error --concurrency 1';

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
