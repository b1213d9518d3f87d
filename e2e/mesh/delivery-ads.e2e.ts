import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.ts';
import type { EnvoyConfig } from '../../src/compiler/render/resource.ts';
import { defaultSettings } from '../../src/config/defaults.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { findEnvoy } from '../../src/envoy/process.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { AdsServer } from '../testing/ads-server.ts';
import { redisPort, thriftPort } from '../testing/protocol-servers.ts';

const repositoryRoot = resolve(import.meta.dirname, '../..');
// Debian's own, for which its thrift package is; another python3 may come first in PATH.
const thriftPeer = ['/usr/bin/python3', join(repositoryRoot, 'e2e/testing/thrift-peer.py')];
const isRoot = process.getuid?.() === 0;

/** A client with a sidecar, which takes plaintext: nobody here serves certificates. */
const client = `
apiVersion: v1
kind: Pod
metadata: {name: client, namespace: shop}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 10.1.0.9}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: DISABLE}}
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: plain, namespace: shop}
spec: {host: "*.shop.svc.cluster.local", trafficPolicy: {tls: {mode: DISABLE}}}
`;

/** Two pods, each an HTTP, a Redis and a Thrift server, of which those in `ready` are. */
function mesh(ready: readonly string[]): string {
  const pods = ['one', 'two'].map(
    (name, i) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: web}}
spec: {containers: [{name: app}]}
status: {podIP: 10.1.0.${i + 1}, conditions: [{type: Ready, status: "${ready.includes(name) ? 'True' : 'False'}"}]}
`,
  );
  const services = Object.entries(portOf).map(
    ([name, port], i) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {clusterIP: 10.96.0.${i + 1}, selector: {app: web}, ports: [${port}]}
`,
  );
  return [client, ...pods, ...services].join('---');
}

/** In the order of their addresses. */
const portOf = {
  web: '{name: http, port: 80, targetPort: 8080}',
  cache: `{name: redis, port: ${redisPort}}`,
  numbers: `{name: thrift, port: ${thriftPort}}`,
};
const both = ['one', 'two'];

describe('a sidecar with delivery ads', () => {
  const started: ChildProcess[] = [];
  let folder: string;
  let envoy: ChildProcess;
  let ads: AdsServer;
  let compile: (ready: readonly string[]) => EnvoyConfig;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'delivery-'));
    const proxy = { ...defaultSettings.proxy, configPath: folder };
    const compiler = createCompiler({
      settings: { ...defaultSettings, redisProxy: true, thriftProxy: true, proxy },
      delivery: 'ads',
    });
    compile = (ready) => {
      const bag = new DiagnosticBag();
      const select = [{ namespace: 'shop', name: 'client' }];
      const config = compiler.compile([{ path: 'mesh.yaml', text: mesh(ready) }], select, bag)?.configs[0];
      if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
      return config;
    };
    const config = compile(both);
    await writeFile(join(folder, 'bootstrap.json'), config.bootstrap.text);
    ads = new AdsServer(join(folder, 'XDS'), config);
    await ads.start();
    const network = [
      'ip link set lo up',
      'ip address add 10.1.0.1/32 dev lo',
      'ip address add 10.1.0.2/32 dev lo',
      'ip route add local 10.96.0.0/16 dev lo',
      'iptables -w -t nat -A OUTPUT -p tcp -d 10.96.0.0/16 -j REDIRECT --to-ports 15001',
      `exec ${findEnvoy({ env: process.env, repositoryRoot })} -c ${folder}/bootstrap.json --disable-hot-restart --concurrency 2 -l off`,
    ];
    const namespaces = isRoot ? ['--net'] : ['--net', '--map-root-user'];
    envoy = spawn('unshare', [...namespaces, 'sh', '-c', network.join(' && ')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    started.push(envoy);
    await eventually(() => expect(get('http://127.0.0.1:15000/ready')).toBe('LIVE\n'), soon);
    started.push(inside('node', load, 'serve', 'one=10.1.0.1:8080', 'two=10.1.0.2:8080'));
    for (const [i] of both.entries()) {
      // Debian's redis-tools hold the server under this name.
      const script = `exec -a redis-server redis-check-rdb --bind 10.1.0.${i + 1} --protected-mode no --save "" --dir ${folder}`;
      started.push(inside('bash', '-c', script));
      started.push(inside(...thriftPeer, 'serve', `10.1.0.${i + 1}`, String(thriftPort), both[i] ?? ''));
    }
    await eventually(() => expect(both).toContain(get('http://10.96.0.1/')), soon);
    for (const address of ['10.1.0.1', '10.1.0.2', '10.96.0.2']) {
      await eventually(() => expect(run('redis-cli', '-h', address, 'GET', 'x')).toBe('\n'), soon);
    }
    await eventually(() => expect(both).toContain(run(...calls(1)).trim()), soon);
  });
  afterAll(async () => {
    for (const program of started.reverse()) if (program.kill('SIGKILL')) await once(program, 'exit');
    await ads?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const soon = { interval: 100 };
  const load = join(repositoryRoot, 'e2e/testing/steady-load.mjs');
  const place = (): string[] => {
    const user = isRoot ? [] : ['-U', '--preserve-credentials'];
    return ['-t', String(envoy.pid), '-n', ...user, '--'];
  };
  const inside = (...argv: readonly string[]): ChildProcess =>
    spawn('nsenter', [...place(), ...argv], { stdio: ['pipe', 'pipe', 'inherit'] });
  /** Of one connection; prints who answered each. */
  const calls = (count: number): string[] => [...thriftPeer, 'call', '10.96.0.3', String(thriftPort), String(count)];
  const run = (...argv: readonly string[]): string =>
    spawnSync('nsenter', [...place(), ...argv], { encoding: 'utf8' }).stdout;
  const get = (url: string): string => run('curl', '-s', '-m', '30', url);
  const counters = (): string =>
    get('http://127.0.0.1:15000/stats?filter=^cluster_manager.cluster_(added|modified|removed)$');

  test('takes every resource, and waits for none', () => {
    expect(ads.refusals).toEqual([]);
    expect(get('http://127.0.0.1:15000/config_dump?resource=dynamic_warming_clusters')).not.toContain('warming');
    expect(get('http://127.0.0.1:15000/stats?filter=warming_clusters')).toBe('cluster_manager.warming_clusters: 0\n');
  });

  test('loses no request, Redis command or Thrift call as endpoints come and go, and makes no cluster anew', async () => {
    const before = counters();
    const sent = ads.answered.length;
    const client = inside('node', load, 'load', 'http://10.96.0.1/', '10.96.0.2:6379');
    const thrift = inside(...calls(3000));
    const [printed, answers] = [client, thrift].map(({ stdout }) => (stdout ? text(stdout) : ''));
    for (let round = 0; round < 8; round++) {
      for (const ready of [['one'], both, ['two'], both]) {
        ads.serve(compile(ready));
        await wait(40);
      }
    }
    ads.serve(compile(['one']));
    await wait(300);
    client.stdin?.end();
    const { requests, commands, failures, last } = JSON.parse((await printed) ?? '');
    expect(failures).toEqual([]);
    expect(last).toEqual(['one']);
    expect(new Set((await answers)?.trim().split('\n'))).toEqual(new Set(both));
    expect((await answers)?.trim().split('\n')).toHaveLength(3000);
    expect(new Set(ads.answered.slice(sent))).toEqual(new Set(['endpoints']));
    expect([requests > 200, commands > 200]).toEqual([true, true]);
    expect(counters()).toBe(before);
    expect(ads.refusals).toEqual([]);
  });

  test('reaches a service again whose last endpoint went and came back', async () => {
    const before = counters();
    ads.serve(compile([]));
    await eventually(() => expect(get('http://10.96.0.1/')).toBe('no healthy upstream'), soon);
    ads.serve(compile(['two']));
    await eventually(() => expect(get('http://10.96.0.1/')).toBe('two'), soon);
    expect(counters()).toBe(before);
  });
});
