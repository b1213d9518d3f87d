import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { ProxyProgram } from './testing/proxy-program.ts';
import { httpbinDeployment, namespace, objects, podMesh } from './testing/sample-mesh.ts';

let proxy: ProxyProgram;
afterEach(() => proxy.close());

const annotations = async (text: string): Promise<void> => {
  await proxy.makeFolderOf('etc/mesh/pod/annotations');
  await proxy.write('etc/mesh/pod/annotations', text);
};

const nodeId = (port = 15000): string => {
  const { node } = JSON.parse(proxy.curl(`http://127.0.0.1:${port}/server_info`).body) as { node: { id: string } };
  return node.id;
};

describe('pilot-agent proxy', () => {
  test('scenario 3: listens on the admin port of the annotation, which goes before PROXY_CONFIG', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    await annotations('proxy.mesh.io/config="proxyAdminPort: 15200\\n"\nstatus.sidecar.mesh.io/port="15400"\n');
    proxy.start({ environment: { PROXY_CONFIG: '{proxyAdminPort: 15100, statusPort: 15300}' } });
    await proxy.untilReady(15_400);
    expect(nodeId(15200)).toBe('sidecar~10.1.0.1~httpbin.foo~foo.svc.cluster.local');
    expect(proxy.curl('http://127.0.0.1:15100/server_info').code).toBe(7);
  });

  test('prints with --print-config what each setting comes from, no secret among it, and starts nothing', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    const config = 'proxyAdminPort: 15200\\nproxyMetadata: {API_TOKEN: canary, MESH_META_KEPT: word}\\n';
    await annotations(`proxy.mesh.io/config="${config}"\n`);
    await proxy.write('mesh.yaml', 'defaultConfig:\n  drainDuration: 9s\n');
    const args = ['--print-config', '--meshConfig', 'mesh.yaml', '--concurrency', '2'];
    proxy.start({ args, environment: { SECRET_TTL: '2h' } });
    expect(await proxy.exit).toBe(0);
    for (const [setting, origin] of [
      ['adminPort: 15200', 'annotation proxy.mesh.io/config:1'],
      ['concurrency: 2', 'flag --concurrency'],
      ['drainDurationMs: 9000', 'mesh.yaml:2'],
      ['terminationDrainDurationMs: 1000', 'variable TERMINATION_DRAIN_DURATION_SECONDS'],
      ['certificates.lifetimeMs: 7200000', 'variable SECRET_TTL'],
      ['statusPort: 15020', 'default'],
    ]) {
      expect(proxy.stdout).toMatch(new RegExp(`^  ${setting} +# ${origin}$`, 'm'));
    }
    expect(proxy.stdout).toContain('"MESH_META_KEPT":"word"');
    expect(proxy.output).not.toMatch(/canary|Envoy started/);
  });

  test('does not start Envoy with an annotation that cannot be read', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    await annotations('a="b"\nproxy.mesh.io/config=proxyAdminPort: 15200\n');
    proxy.start();
    expect(await proxy.exit).toBe(1);
    expect(proxy.output).toContain('the settings are invalid, Envoy is not started');
    expect(proxy.output).toContain('etc/mesh/pod/annotations:2:1: error: this line is not key="value"');
    expect(proxy.envoyPid).toBeUndefined();
  });

  test.each([
    ['0', /^$|^[1-9]/],
    ['3', /^3$/],
  ])('scenario 5: starts Envoy with the threads of --concurrency %s, and never with 0', async (flag, threads) => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    proxy.start({ args: ['--policies', 'mesh', '--concurrency', flag] });
    await proxy.logged('Envoy started');
    const [, given = ''] = readFileSync(`/proc/${proxy.envoyPid}/cmdline`, 'utf8').split('--concurrency\0');
    expect(given.split('\0')[0]).toMatch(threads);
  });

  test('scenario 11: ends at once with SIGTERM while it waits for a network interface', async () => {
    proxy = await ProxyProgram.create(objects(namespace, httpbinDeployment));
    proxy.start();
    await proxy.logged('waiting for a network interface');
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(proxy.output).not.toMatch(/Envoy started|state=draining/);
  });

  test('goes on once an interface has an address, and takes it', async () => {
    proxy = await ProxyProgram.create(objects(namespace, httpbinDeployment));
    proxy.start();
    await proxy.logged('waiting for a network interface');
    const pair = ['ip link add v0 type veth peer name v1', 'ip link set v1 up', 'ip link set v0 up'];
    proxy.run(['sh', '-c', [...pair, 'ip addr add 10.7.0.1/24 dev v0'].join(' && ')]);
    await proxy.untilReady();
    expect(nodeId()).toBe('sidecar~10.7.0.1~httpbin.foo~foo.svc.cluster.local');
  });

  test('scenario 26: drains for five seconds if TERMINATION_DRAIN_DURATION_SECONDS is not a number, and warns', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    proxy.start({ environment: { TERMINATION_DRAIN_DURATION_SECONDS: 'abc' } });
    await proxy.untilReady();
    expect(proxy.output).toContain(
      'variable TERMINATION_DRAIN_DURATION_SECONDS is "abc", expected a whole number from 0: the default (5) is used',
    );
    const began = performance.now();
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    const seconds = (performance.now() - began) / 1_000;
    expect(seconds).toBeGreaterThan(4.9);
    expect(seconds).toBeLessThan(30);
  });
});
