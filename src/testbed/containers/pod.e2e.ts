import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratch } from '../sandbox.ts';
import { node } from '../sidecar.ts';
import { until } from '../until.ts';
import { applicationProgram, outsideProgram } from './application.ts';
import { type Engine, openEngine } from './engine.ts';
import { buildAgentImage, buildApplicationImage, imageNames } from './images.ts';
import { bridgeIp, PlayedPod, podIp } from './played.ts';
import { readPod } from './pod-manifest.ts';

const isRoot = process.getuid?.() === 0;
const web = `https://${podIp}:8080`;

describe.skipIf(!isRoot)('in containers', () => {
  let engine: Engine;
  let machine: string;

  beforeAll(async () => {
    machine = await machineState();
    engine = await openEngine();
    await buildAgentImage(engine);
    await buildApplicationImage(engine, applicationProgram);
    await engine.podman('network', 'create', '--disable-dns', '--subnet', '10.91.7.0/24', 'pods');
  });

  afterAll(async () => {
    await engine?.close();
    expect(await machineState()).toBe(machine);
  });

  test('the image runs the agent as a user without a name, who can write nothing', async () => {
    const look = 'process.stdout.write(String([process.getuid(), process.getgid(), process.cwd()]))';
    const plain = ['run', '--rm', '--network=none', '--read-only', '--cap-drop=all'];
    expect(await engine.podman(...plain, imageNames.agent, 'version')).toContain('Version:"0.1.0"');
    expect(await engine.podman(...plain, '--entrypoint=node', imageNames.agent, '-e', look)).toBe('1337,1337,/');
    const envoy = await engine.podman(...plain, '--entrypoint=envoy', imageNames.agent, '--version');
    expect(envoy).toContain('/1.40.0/');
  });

  describe('the pod of deploy/pod.yaml', () => {
    let pod: PlayedPod;

    beforeAll(async () => {
      pod = await PlayedPod.play(engine, readPod('pod.yaml'));
      const proxy = pod.container('mesh-proxy');
      await pod.untilProbed(proxy.startupProbe!);
    });

    test('becomes ready, which its hooks and probes see', async () => {
      const proxy = pod.container('mesh-proxy');
      expect(await pod.hook('mesh-proxy', proxy.lifecycle?.postStart)).toMatchObject({ exitCode: 0 });
      expect(await pod.probe(proxy.readinessProbe!)).toBe(200);
      expect(await pod.probe(pod.container('web').readinessProbe!)).toBe(200);
    });

    test('lets in whom its policies name, and nobody else', async () => {
      const [allowed, write, other, plain] = await Promise.all([
        pod.request('GET', `${web}/headers`, 'orders'),
        pod.request('POST', web, 'orders'),
        pod.request('GET', web, 'cart'),
        pod.request('GET', `http://${podIp}:8080/`),
      ]);
      expect(allowed).toMatch(/^200 .*"x-forwarded-client-cert":"[^"]*URI=spiffe:\/\/cluster.local\/ns\/shop\/sa\/orders"/);
      expect([write, other].map((answer) => answer.slice(0, 3))).toEqual(['403', '403']);
      expect(plain).toMatch(/^000 /);
    });

    test('leads what the application calls through the proxy', async () => {
      await writeFile(join(engine.sandbox.folder, 'outside.mjs'), outsideProgram);
      const log = join(engine.sandbox.folder, 'outside.log');
      const outside = await engine.sandbox.start([node, `${scratch}/outside.mjs`, '9000'], log);
      const url = `${web}/out?to=${encodeURIComponent(`http://${bridgeIp}:9000/`)}`;
      expect(await pod.request('GET', url, 'orders')).toMatch(/^200 .*"x-request-id"/);
      await outside.signal('KILL');
    });

    test('takes over a change of the ConfigMap', async () => {
      const names = ['policies.yaml', 'topology.yaml'];
      const [policies = '', topology = ''] = await Promise.all(names.map((name) => pod.file('mesh-policies', name)));
      const changed = policies.replace('sa/orders', 'sa/cart');
      await pod.change('mesh-policies', { 'policies.yaml': changed, 'topology.yaml': topology });
      const opened = async (): Promise<true | undefined> =>
        (await pod.request('GET', web, 'cart')).startsWith('200') ? true : undefined;
      await until(opened, { timeoutMs: 20_000, otherwise: () => pod.logs('mesh-proxy') });
    });

    test('runs the agent as process 1 without privileges or zombies', async () => {
      const status = (await pod.execute('mesh-proxy', 'cat', '/proc/1/status')).stdout;
      expect(status).toMatch(/^Uid:\t1337\t1337\t1337\t1337$/m);
      expect(status).toMatch(/^CapEff:\t0{16}$/m);
      expect(status).toMatch(/^CapBnd:\t0{16}$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
      const { stdout } = await pod.execute('mesh-proxy', 'sh', '-c', 'cat /proc/[0-9]*/stat');
      const processes = [...stdout.matchAll(/^(\d+) \((.*)\) (\S)/gm)].map(([, id, name, state]) => ({ id, name, state }));
      expect(processes.map(({ name }) => name).sort()).toEqual(['cat', 'envoy', 'node', 'sh']);
      expect(processes.filter(({ state }) => state === 'Z')).toEqual([]);
      expect(processes.find(({ id }) => id === '1')?.name).toBe('node');
    });

    test('finishes what is in flight, and ends cleanly before its drain is over', async () => {
      const proxy = pod.container('mesh-proxy');
      const slow = pod.request('GET', `${web}/slow`, 'cart');
      await until(async () => ((await open()) > 0 ? true : undefined), {
        timeoutMs: 10_000,
        otherwise: async () => 'no request came',
      });
      const startedAt = performance.now();
      expect(await pod.hook('mesh-proxy', proxy.lifecycle?.preStop)).toMatchObject({ exitCode: 0 });
      expect(await pod.probe(proxy.readinessProbe!)).toBe(503);
      expect(await slow).toBe('200 slow');
      expect(await pod.stop()).toEqual({ 'mesh-init': 0, 'mesh-proxy': 0, web: 0 });
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      expect(await pod.logs('mesh-proxy')).toContain('drain ended');
    });

    async function open(): Promise<number> {
      const { stdout } = await pod.execute('mesh-proxy', 'pilot-agent', 'request', 'GET', 'stats?filter=rq_active');
      return [...stdout.matchAll(/^http\.inbound\S*\.downstream_rq_active: (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
    }
  });
});

/** What containers could leave on the machine: mounts, links, network namespaces, packet filter, control groups. */
async function machineState(): Promise<string> {
  const look = `cat /proc/self/mounts; ls /sys/class/net; ls /run/netns 2>/dev/null; iptables-save | grep -v '^[#:]';
    find /sys/fs/cgroup -name '*libpod-*'`;
  return isRoot ? (await promisify(execFile)('sh', ['-c', look])).stdout : '';
}
