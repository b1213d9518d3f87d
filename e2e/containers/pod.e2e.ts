import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTokenMint } from '../../src/control/testing/token-mint.ts';
import { scratch } from '../../src/testbed/sandbox.ts';
import { until } from '../../src/testbed/until.ts';
import { createMeshCa } from '../../src/testing/certificates.ts';
import { applicationProgram } from './application.ts';
import { startAuthority, startOutside } from './beside-pods.ts';
import { areContainersImpossible } from './containers-impossible.ts';
import { type Engine, openEngine } from './engine.ts';
import { identitySecret } from './identity-secret.ts';
import { buildAgentImage, buildApplicationImage, imageNames } from './images.ts';
import { makeVolumes } from './kubelet-volumes.ts';
import { machineState } from './machine-state.ts';
import { bridgeIp, PlayedPod, podIp } from './played.ts';
import { readManifest, readPod } from './pod-manifest.ts';
import { withAuthority } from './with-authority.ts';

const web = `https://${podIp}:8080`;

describe.skipIf(areContainersImpossible())('in containers', () => {
  let engine: Engine;
  let machine: readonly string[];

  beforeAll(async () => {
    machine = await machineState();
    engine = await openEngine();
    await buildAgentImage(engine);
    await buildApplicationImage(engine, applicationProgram);
    await engine.podman('network', 'create', '--disable-dns', '--subnet', '10.91.7.0/24', 'pods');
    await startOutside(engine);
  });

  afterAll(async () => {
    await engine?.close();
    expect((await machineState()).filter((line) => !machine.includes(line))).toEqual([]);
  });

  test('the image runs the agent as a user without a name, who can write nothing', async () => {
    const look = 'process.stdout.write(String([process.getuid(), process.getgid(), process.cwd()]))';
    const plain = ['run', '--rm', '--network=none', '--read-only', '--cap-drop=all'];
    expect(await engine.podman(...plain, imageNames.agent, 'version')).toContain('Version:"0.1.0"');
    expect(await engine.podman(...plain, '--entrypoint=node', imageNames.agent, '-e', look)).toBe('1337,1337,/');
    const envoy = await engine.podman(...plain, '--entrypoint=envoy', imageNames.agent, '--version');
    expect(envoy).toContain('/1.40.0/');
  });

  describe('a configuration folder that belongs to root', () => {
    const name = 'alone';

    beforeAll(async () => {
      const objects = [...readManifest('mesh.yaml'), await identitySecret(await createMeshCa())];
      await makeVolumes(join(engine.sandbox.folder, name), { pod: readPod('pod.yaml'), objects });
      const inside = join(engine.sandbox.folder, name, 'mesh-run', 'inside');
      await mkdir(inside);
      await chmod(inside, 0o777);
    });

    /** Arguments of `podman run` for an agent that writes to `configPath`. */
    function agentAt(configPath: string): readonly string[] {
      const volumes = { policies: '/etc/mesh/policies', identity: '/etc/certs', run: '/var/run/mesh' };
      const env = {
        PROV_CERT: '/etc/certs',
        INSTANCE_IP: podIp,
        PROXY_CONFIG: JSON.stringify({ configPath }),
        TERMINATION_DRAIN_DURATION_SECONDS: '0',
      };
      return [
        ...['--network=none', '--read-only', '--group-add=1337'],
        ...Object.entries(volumes).map(([volume, path]) => `--volume=${scratch}/${name}/mesh-${volume}:${path}`),
        ...Object.entries(env).map(([variable, value]) => `--env=${variable}=${value}`),
        ...[imageNames.agent, 'proxy', 'sidecar', '--id', 'web.shop', '--policies', '/etc/mesh/policies'],
      ];
    }

    test('is taken where it is a volume, with a socket for its user alone', async () => {
      await engine.podman('run', '--detach', '--name', name, ...agentAt('/var/run/mesh'));
      const inside = (...command: string[]): Promise<string> => engine.podman('exec', name, ...command);
      await inside('pilot-agent', 'wait');
      expect(await inside('stat', '--format=%a %u %F', '/var/run/mesh', '/var/run/mesh/SDS')).toBe(
        '2777 0 directory\n600 1337 socket\n',
      );
      expect(await inside('sh', '-c', 'ls --almost-all /var/run/mesh | grep "^[.][^.]" || true')).toBe('');
      expect(await engine.podman('logs', name)).toContain('whoever mounts the configuration folder');
      await engine.podman('stop', name);
      expect(await engine.podman('inspect', '--format={{.State.ExitCode}}', name)).toBe('0\n');
    });

    test('is refused anywhere else: nobody keeps others from it', async () => {
      const { exitCode, stderr } = await engine.tryPodman('run', '--rm', ...agentAt('/var/run/mesh/inside'));
      expect({ exitCode, stderr }).toEqual({
        exitCode: 3,
        stderr: expect.stringContaining('cannot keep others from the folder "/var/run/mesh/inside"'),
      });
    });
  });

  describe('the pod of deploy/pod.yaml', () => {
    let pod: PlayedPod;

    beforeAll(async () => {
      pod = await PlayedPod.play(engine, readPod('pod.yaml'));
    });

    afterAll(async () => {
      await pod?.remove();
    });

    test('becomes ready', async () => {
      await pod.untilProbed(pod.container('mesh-proxy').readinessProbe!);
      await pod.untilProbed(pod.container('web').readinessProbe!);
    });

    test('lets in whom its policies name, and nobody else', async () => {
      const [allowed, write, other, plain] = await Promise.all([
        pod.request('GET', `${web}/headers`, 'orders'),
        pod.request('POST', web, 'orders'),
        pod.request('GET', web, 'cart'),
        pod.request('GET', `http://${podIp}:8080/`),
      ]);
      expect(allowed).toMatch(
        /^200 .*"x-forwarded-client-cert":"[^"]*URI=spiffe:\/\/cluster.local\/ns\/shop\/sa\/orders"/,
      );
      expect([write, other].map((answer) => answer.slice(0, 3))).toEqual(['403', '403']);
      expect(plain).toMatch(/^000 /);
    });

    test('leads what the application calls through the proxy', async () => {
      const url = `${web}/out?to=${encodeURIComponent(`http://${bridgeIp}:9000/`)}`;
      expect(await pod.request('GET', url, 'orders')).toMatch(/^200 .*"host":"10.91.7.1:9000"/);
      const { stdout } = await pod.execute('mesh-proxy', 'pilot-agent', 'request', 'GET', 'clusters');
      expect(stdout).toContain(`PassthroughCluster::${bridgeIp}:9000::cx_total::1`);
    });

    test('takes over a change of the ConfigMap', async () => {
      const names = ['policies.yaml', 'topology.yaml'];
      const [policies = '', topology = ''] = await Promise.all(names.map((name) => pod.file('mesh-policies', name)));
      const changed = policies.replace('sa/orders', 'sa/cart');
      await pod.change('mesh-policies', { 'policies.yaml': changed, 'topology.yaml': topology });
      const opened = async (): Promise<true | undefined> =>
        (await pod.request('GET', web, 'cart')).startsWith('200') ? true : undefined;
      await until(opened, { timeoutMs: 60_000, otherwise: () => pod.logs('mesh-proxy') });
    });

    test('runs the agent as process 1, without privileges or zombies', async () => {
      const status = (await pod.execute('mesh-proxy', 'cat', '/proc/1/status')).stdout;
      expect(status).toMatch(/^Uid:\t1337\t1337\t1337\t1337$/m);
      expect(status).toMatch(/^CapEff:\t0{16}$/m);
      expect(status).toMatch(/^CapBnd:\t0{16}$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
      const { stdout } = await pod.execute(
        'mesh-proxy',
        'sh',
        '-c',
        'for each in /proc/[0-9]*; do cat $each/stat; done',
      );
      const processes = [...stdout.matchAll(/^(\d+) \((.*)\) (\S)/gm)].map(([, id, name, state]) => ({
        id,
        name,
        state,
      }));
      // The kernel calls a Node by the name of its thread.
      expect(processes.map(({ name }) => name).sort()).toEqual(['MainThread', 'envoy', 'sh']);
      expect(processes.filter(({ state }) => state === 'Z')).toEqual([]);
      expect(processes.find(({ id }) => id === '1')?.name).toBe('MainThread');
    });

    test('tells Envoy of the memory that the container may use', async () => {
      const { stdout } = await pod.execute('mesh-proxy', 'cat', '/var/run/mesh/proxy/bootstrap.json');
      expect(stdout.replace(/\s/g, '')).toContain(`"max_heap_size_bytes":${(512 << 20) * 0.75}`);
    });

    test('finishes what is in flight, and ends cleanly before its drain is over', async () => {
      const slow = pod.request('GET', `${web}/slow`, 'cart');
      await until(async () => ((await stat('http.inbound.*rq_active')) > 0 ? true : undefined), {
        timeoutMs: 60_000,
        otherwise: async () => 'no request came',
      });
      const startedAt = performance.now();
      const stopped = pod.stop();
      const closed = async (): Promise<true | undefined> =>
        (await pod.probe(pod.container('mesh-proxy').readinessProbe!)) === 503 ? true : undefined;
      await until(closed, { timeoutMs: 60_000, otherwise: () => pod.logs('mesh-proxy') });
      expect(await slow).toBe('200 slow');
      expect(await stopped).toEqual({ 'mesh-init': 0, 'mesh-proxy': 0, web: 0 });
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      const log = await pod.logs('mesh-proxy');
      expect(log).toContain('drain ended');
      expect(log).toContain('"PassthroughCluster"');
    });

    /** Sum of Envoy's counters or gauges whose names match. */
    async function stat(pattern: string): Promise<number> {
      const { stdout } = await pod.execute('mesh-proxy', 'pilot-agent', 'request', 'GET', `stats?filter=${pattern}`);
      return [...stdout.matchAll(/: (\d+)$/gm)].reduce((sum, [, value]) => sum + Number(value), 0);
    }
  });

  describe('the pod of deploy/pod-native-sidecar.yaml', () => {
    let pod: PlayedPod;

    beforeAll(async () => {
      const mint = createTokenMint();
      const data = { 'root-cert.pem': await startAuthority(engine, mint) };
      const root = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mesh-root', namespace: 'shop' }, data };
      pod = await PlayedPod.play(engine, withAuthority(readPod('pod-native-sidecar.yaml')), {
        objects: [root],
        mint: (audience) => mint.mint('shop/web', { claims: { aud: [audience] } }),
      });
    });

    afterAll(async () => {
      await pod?.remove();
    });

    test('shows the certificate that meshd has signed, as docs/guides/pilot-agent-containers.md has it', async () => {
      const connect = `openssl s_client -connect ${podIp}:8080 -alpn mesh-http/1.1 </dev/null`;
      const show = 'openssl x509 -noout -ext subjectAltName';
      const { stdout } = await engine.sandbox.run(['sh', '-c', `${connect} | ${show}`]);
      expect(stdout).toContain('URI:spiffe://cluster.local/ns/shop/sa/web');
    });

    test('has a proxy that is ready before the application starts, and ends after it', async () => {
      await pod.untilProbed(pod.container('web').readinessProbe!);
      expect(await pod.stop()).toEqual({ 'mesh-init': 0, 'mesh-proxy': 0, web: 0 });
      const [init, proxy, application] = await Promise.all(
        ['mesh-init', 'mesh-proxy', 'web'].map((name) => pod.state(name)),
      );
      const times = [
        init!.FinishedAt,
        proxy!.StartedAt,
        application!.StartedAt,
        application!.FinishedAt,
        proxy!.FinishedAt,
      ];
      expect(times.map(Date.parse)).toEqual(times.map(Date.parse).sort((a, b) => a - b));
    });
  });
});
