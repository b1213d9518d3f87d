import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { ProxyProgram } from './testing/proxy-program.ts';
import { podMesh } from './testing/sample-mesh.ts';

const MiB = 2 ** 20;
const made: string[] = [];

/** A control group, version 1 or 2, with the values in files of it; undefined where this process may not make one. */
function group(mount: string, values: Readonly<Record<string, string>>): string | undefined {
  const folder = join('/sys/fs/cgroup', mount, `pilot-agent-${process.pid}`);
  try {
    // A folder that is no control group has no such file: nothing is made there.
    if (!existsSync(join('/sys/fs/cgroup', mount, 'cgroup.procs'))) return undefined;
    mkdirSync(folder);
    made.push(folder);
    for (const [name, value] of Object.entries(values)) writeFileSync(join(folder, name), value);
    return folder;
  } catch {
    // Not mounted, read only, or without the controller: the reader's own tests have files of every version.
    return undefined;
  }
}

const limited = [
  group('', { 'memory.max': String(512 * MiB), 'cpu.max': '50000 100000' }),
  group('memory', { 'memory.limit_in_bytes': String(512 * MiB) }),
  group('cpu', { 'cpu.cfs_quota_us': '50000' }),
].filter((folder) => folder !== undefined);
const isIn = (name: string): boolean => limited.some((folder) => readable(join(folder, name)));
const hasMemory = isIn('memory.max') || isIn('memory.limit_in_bytes');
const hasCpu = isIn('cpu.max') || isIn('cpu.cfs_quota_us');

function readable(path: string): boolean {
  try {
    return readFileSync(path, 'utf8') !== '';
  } catch {
    // It is of the other version.
    return false;
  }
}

describe('pilot-agent proxy', () => {
  let proxy: ProxyProgram;
  afterEach(() => proxy?.close());
  // The groups are empty once the program has ended.
  afterAll(() => {
    for (const folder of made) rmdirSync(folder);
  });

  const node = (): { readonly command_line_options: { readonly concurrency: number } } =>
    JSON.parse(proxy.curl('http://127.0.0.1:15000/server_info').body) as never;

  test('gives Envoy the processors and the memory that its control group leaves', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    const prepare = limited.map((folder) => `echo $$ > ${folder}/cgroup.procs`).join(' && ') || 'true';
    proxy.start({ prepare });
    await proxy.untilReady();
    const bootstrap = await proxy.read('bootstrap.json');
    expect(/"max_heap_size_bytes": (\d+)/.exec(bootstrap)?.[1]).toBe(hasMemory ? String(384 * MiB) : undefined);
    if (hasCpu) expect(node().command_line_options.concurrency).toBe(1);
  });

  test('gives Envoy as many threads as the configuration says, whatever the limits', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    await proxy.write('mesh.yaml', 'defaultConfig: {concurrency: 3}\n');
    const args = ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'];
    proxy.start({ args, environment: { MESH_CPU_LIMIT: '1' } });
    await proxy.untilReady();
    expect(node().command_line_options.concurrency).toBe(3);
  });

  test('gives Envoy as many threads as a ProxyConfig of the inputs says', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    await proxy.write('mesh.yaml', 'defaultConfig: {concurrency: 3}\n');
    const config =
      'apiVersion: networking.istio.io/v1beta1\nkind: ProxyConfig\nmetadata: {name: threads, namespace: foo}';
    await proxy.write('mesh/threads.yaml', `${config}\nspec: {concurrency: 4}\n`);
    const args = ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'];
    proxy.start({ args });
    await proxy.untilReady();
    expect(node().command_line_options.concurrency).toBe(4);
    expect(JSON.parse(await proxy.read('bootstrap.json')).node.metadata.PROXY_CONFIG.concurrency).toBe(4);
  });

  test('opens no other ports to the outside than those of traffic, status, readiness and metrics', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    await proxy.write('mesh.yaml', 'defaultConfig: {statusPort: 15922, proxyAdminPort: 15900}\n');
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'] });
    await proxy.logged('state=running');
    const ready = (): string => proxy.curl('http://127.0.0.1:15021/healthz/ready').body;
    expect(proxy.curl('http://127.0.0.1:15021/healthz/ready')).toMatchObject({ status: 200 });
    expect(ready()).toBe('');

    const { stdout } = proxy.run(['ss', '-Hltn']);
    const open = stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[3] ?? '')
      .filter((at) => at !== '' && !/^(127\.|\[::1\])/.test(at))
      .map((at) => Number(at.slice(at.lastIndexOf(':') + 1)));
    expect([...new Set(open)].sort()).toEqual([15001, 15006, 15021, 15090, 15922]);
  });

  test('answers one path on the ports of readiness and metrics, in one spelling', async () => {
    proxy = await ProxyProgram.create(podMesh('10.1.0.1'));
    proxy.start({});
    await proxy.untilReady();
    const status = (port: number, path: string, ...flags: readonly string[]): number =>
      proxy.curl(`http://127.0.0.1:${port}${path}`, '--path-as-is', ...flags).status;
    const paths = { 15021: '/healthz/ready', 15090: '/stats/prometheus' } as const;
    for (const [text, own] of Object.entries(paths)) {
      const port = Number(text);
      expect(status(port, own)).toBe(200);
      const others = [
        ...[`${own}/`, `${own}/../../config_dump`, `${own}/..%2f..%2fconfig_dump`, `${own}/%2e%2e/%2e%2e/config_dump`],
        ...[`${own};/../../config_dump`, `/.${own}/../../quitquitquit`, '/config_dump', '//config_dump', '/', '/ready'],
        ...[own.toUpperCase(), own.replaceAll('/', '%2f'), `${own}%00`, `${own}%2f..%2f..%2fcerts`, '/quitquitquit'],
      ];
      expect(others.map((path) => [path, status(port, path)]).filter(([, code]) => code === 200)).toEqual([]);
      expect(status(port, own, '-X', 'POST')).toBe(404);
      expect(status(port, '/quitquitquit', '-X', 'POST')).toBe(404);
    }
  });
});
