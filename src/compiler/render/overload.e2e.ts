import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { HostFacts } from '../../config/host-facts.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { findEnvoy } from '../../envoy/process.ts';
import { parse } from '../../source/parse.ts';
import { eventually } from '../../testing/eventually.ts';
import { createCompiler } from '../compile.ts';
import { readUserMessage } from './user-bootstrap.ts';

const repositoryRoot = resolve(import.meta.dirname, '../../..');
const isRoot = process.getuid?.() === 0;

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: a}
spec: {containers: [{name: mesh-proxy}]}
status: {podIP: 10.0.0.1}
`;

/** A listener of the workload's own, which answers by itself. */
const listener = `
static_resources:
  listeners:
  - name: own
    address: {socket_address: {address: 127.0.0.1, port_value: 17001}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: own
          route_config:
            virtual_hosts:
            - {name: own, domains: ["*"], routes: [{match: {prefix: /}, direct_response: {status: 200}}]}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
`;

/** Less than Envoy needs to start: it is over its limit at once. */
const tinyContainer: HostFacts = {
  memoryLimitBytes: 2 ** 22,
  addresses: [],
  labels: {},
  annotations: {},
  metadata: {},
};

describe('overload_manager', () => {
  let folder: string;
  let envoy: ChildProcess | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overload-'));
    const bag = new DiagnosticBag();
    const [document] = parse([{ path: 'override.yaml', text: listener }], bag);
    const override = document && readUserMessage(document, bag);
    const settings = { ...defaultSettings, proxy: { ...defaultSettings.proxy, configPath: folder } };
    const compiler = createCompiler({ settings, host: tinyContainer, bootstrap: { override } });
    const compilation = compiler.compile([{ path: 'pod.yaml', text: pod }], 'all', bag);
    await writeFile(join(folder, 'bootstrap.json'), compilation?.configs[0]?.bootstrap.text ?? '');
    for (const name of ['clusters.json', 'listeners.json']) {
      await writeFile(join(folder, name), '{"version_info": "1", "resources": []}');
    }
    const binary = findEnvoy({ env: process.env, repositoryRoot });
    const script = `ip link set lo up && exec ${binary} -c ${folder}/bootstrap.json --disable-hot-restart --concurrency 1 -l off`;
    const namespaces = isRoot ? ['--net'] : ['--net', '--map-root-user'];
    envoy = spawn('unshare', [...namespaces, 'sh', '-c', script], { stdio: 'ignore' });
    await once(envoy, 'spawn');
  });
  afterAll(async () => {
    if (envoy?.kill('SIGKILL')) await once(envoy, 'exit');
    await rm(folder, { recursive: true, force: true });
  });

  const get = (url: string): string => {
    const inside = ['-t', String(envoy?.pid), '-n', ...(isRoot ? [] : ['-U', '--preserve-credentials'])];
    const curl = ['curl', '-s', '-m', '30', '-w', ' %{http_code}', url];
    return spawnSync('nsenter', [...inside, ...curl], { encoding: 'utf8' }).stdout;
  };

  test('refuses requests where the memory of the container is used up, and goes on telling how it is', async () => {
    const soon = { interval: 100 };
    await eventually(() => expect(get('http://127.0.0.1:17001/')).toBe('envoy overloaded 503'), soon);
    expect(get('http://127.0.0.1:15090/stats/prometheus')).toMatch(/envoy_server_live\{\} 1[\s\S]* 200$/);
  });
});
