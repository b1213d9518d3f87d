import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import {
  type ExpectedVersions,
  expectedVersions,
  type InForce,
  missingVersions,
  readRefusals,
  waitInForce,
} from '../agent/reload/in-force.ts';
import { partsOf } from '../agent/reload/proxy-files.ts';
import { secretResources } from '../agent/secrets/secret-resources.ts';
import { bootstrapText, type ProxyFiles } from '../contracts/proxy-files.ts';
import { createAdminClient } from '../envoy/admin.ts';
import type { ResourceFile } from '../envoy/api/resource-file.ts';
import { findEnvoy, spawnEnvoy } from '../envoy/process.ts';
import { staticForm } from '../envoy/static-form.ts';
import { readConfigState } from '../envoy/testing/config-state.ts';
import { readServerState } from '../envoy/testing/server-state.ts';
import { validateConfig } from '../envoy/validate.ts';
import { compareStrings } from '../lib/sort.ts';
import { until } from '../testbed/until.ts';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import { isSoak } from '../testing/effort.ts';
import { distinctGoldenProxies, type GoldenProxy, goldenProxies } from '../testing/golden/read.ts';
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

/** A live Envoy takes all of them, below; the form that is validated is tried with others in each run, and with all in `make soak`. */
const validated = proxies.filter(() => isSoak || Math.random() < 0.25);

describe('envoy --mode validate', () => {
  test.concurrent.each(validated)('accepts $name', async ({ files }) => {
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
  let envoy: LiveEnvoy | undefined;
  afterAll(() => envoy?.close());

  // One Envoy takes the files of all proxies with its bootstrap, in turn.
  test.each(proxies.toSorted((a, b) => compareStrings(bootstrapOf(a), bootstrapOf(b))))(
    'puts $name in force',
    async (proxy) => {
      // The next one starts afresh.
      onTestFailed(async () => {
        await envoy?.close();
        envoy = undefined;
      });
      const files = onThisMachine(proxy.files);
      if (envoy?.bootstrap === bootstrapText(files.bootstrap)) await envoy.replace(files);
      else {
        await envoy?.close();
        envoy = await startLive(files);
      }
      expect(await envoy.outcome(files)).toEqual({ isInForce: true, state: 'LIVE' });
    },
  );

  test.each([
    ['listener', 'listeners', '"filter_chains"', '"filter_chain"'],
    ['cluster', 'clusters', '"connect_timeout": "10s"', '"connect_timeout": "-1s"'],
    ['route', 'routes', '"prefix": "/"', '"prefixes": "/"'],
  ] as const)('does not put a corrupted %s in force', async (_, part, good, bad) => {
    const files = corrupted(sound(), part, good, bad);
    const refusing = await startLive(files);
    try {
      const { isInForce } = await refusing.outcome(files, 2_000);
      expect(isInForce).toBe(false);
    } finally {
      await refusing.close();
    }
  });
});

function bootstrapOf({ files }: GoldenProxy): string {
  return bootstrapText(files.bootstrap);
}

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

/** An Envoy that reads its configuration from files, in a network namespace of its own, with secrets served to it. */
interface LiveEnvoy {
  /** The bootstrap that it was started with. */
  readonly bootstrap: string;
  /** Puts these files in place of those that it has; its bootstrap stays. */
  replace(files: ProxyFiles): Promise<void>;
  /** Whether it comes to have these files in force. */
  outcome(files: ProxyFiles, timeoutMs?: number): Promise<LiveOutcome>;
  close(): Promise<void>;
}

/** Runs Envoy on the files as the agent lays them out. */
async function startLive(files: ProxyFiles): Promise<LiveEnvoy> {
  const root = mkdtempSync(join(folder, 'live-'));
  const { admin: _admin, ...bootstrap } = files.bootstrap;
  const configPath = JSON.stringify(bootstrap).includes('./run/proxy') ? 'run/proxy' : 'etc/mesh/proxy';
  const place = (path: string, text: string): void => {
    const relative = join(root.slice(folder.length + 1), configPath, path);
    write(`${relative}.tmp`, text);
    // Envoy reads a file again when another takes its place.
    renameSync(join(folder, `${relative}.tmp`), join(folder, relative));
  };
  const placeRoutes = ({ routes }: ProxyFiles): void => {
    for (const [name, { text }] of routes) place(join('routes', name), text);
  };
  place('bootstrap.json', JSON.stringify({ ...bootstrap, admin: { address: { pipe: { path: 'admin.sock' } } } }));
  place('clusters.json', files.clusters.text);
  place('listeners.json', files.listeners.text);
  mkdirSync(join(root, configPath, 'routes'), { recursive: true });
  placeRoutes(files);

  const { rootCertificate, ...leaf } = await ca.issue('spiffe://cluster.local/ns/a/sa/httpbin');
  const secrets = secretResources({ ...leaf, rootCertificates: rootCertificate } as Parameters<
    typeof secretResources
  >[0]);
  const server = await startDiscoveryServer(join(root, configPath, 'SDS'), [secretService(secrets)]);
  const asUser = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const args = ['--net', ...asUser, 'sh', '-c', namespaceScript, binary, configPath];
  const envoy = await spawnEnvoy({ binary: 'unshare', args, cwd: root, output: 'ignore' });
  const admin = createAdminClient({ socketPath: join(root, 'admin.sock') });
  let refusalsBefore = 0;
  const comesInForce = (expected: ExpectedVersions, timeoutMs: number): Promise<InForce> =>
    waitInForce(admin, expected, { timeoutMs, signal: AbortSignal.timeout(timeoutMs), refusalsBefore });
  return {
    bootstrap: bootstrapText(files.bootstrap),
    replace: async (next) => {
      refusalsBefore = await readRefusals(admin);
      place('clusters.json', next.clusters.text);
      // Clusters that only the files before have are gone before listeners can name them.
      const { clusters } = expectedVersions(next);
      expect(await comesInForce({ clusters }, 20_000)).toEqual({ isInForce: true });
      placeRoutes(next);
      place('listeners.json', next.listeners.text);
    },
    outcome: async (wanted, timeoutMs = 20_000) => {
      const expected = expectedVersions(wanted);
      const wait = await comesInForce(expected, timeoutMs);
      if (!wait.isInForce) return { isInForce: false, missing: wait.missing };
      expect(missingVersions(expected, await readConfigState(admin))).toEqual([]);
      // A gateway's secret that nobody serves is waited for, for two seconds.
      const isLive = async () => ((await readServerState(admin)) === 'LIVE' ? true : undefined);
      await until(isLive, { timeoutMs, otherwise: async () => 'Envoy does not come to life' });
      return { isInForce: true, state: await readServerState(admin) };
    },
    close: async () => {
      envoy.signal('SIGKILL');
      await envoy.exited;
      await server.close();
    },
  };
}

const namespaceScript =
  'ip link set lo up && ip -6 addr add ::6/128 dev lo; exec "$0" -c "$1/bootstrap.json" --disable-hot-restart --drain-time-s 0 -l error --concurrency 1';

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
