import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMeshCa } from '../../testing/certificates.ts';

const program = resolve(import.meta.dirname, '../../../dist/pilot-agent.js');

/** Without root a network namespace needs a user namespace around it. */
const namespaces = process.getuid?.() === 0 ? ['--net'] : ['--net', '--map-root-user'];

const topology = `
apiVersion: v1
kind: Namespace
metadata: {name: foo, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: httpbin, namespace: foo}
spec:
  clusterIP: 10.1.0.10
  selector: {app: httpbin}
  ports: [{name: http, port: 8000}]
---
apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {app: httpbin}}
spec: {serviceAccountName: httpbin, containers: [{name: app, ports: [{containerPort: 8000}]}]}
status: {podIP: 127.0.0.1, conditions: [{type: Ready, status: "True"}]}
`;

const strict = (mode: string): string => `apiVersion: security.mesh.io/v1beta1
kind: PeerAuthentication
metadata: {name: default, namespace: foo}
spec: {mtls: {mode: ${mode}}}
`;

/** The program as a process, in a network namespace of its own: the ports are the specification's. */
describe('pilot-agent proxy', () => {
  let folder: string;
  let agent: ChildProcess;
  let output: string;
  let exit: Promise<number | null>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pilot-agent-'));
    await mkdir(join(folder, 'mesh'));
    await mkdir(join(folder, 'certs'));
    const issued = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    await writeFile(join(folder, 'certs/cert-chain.pem'), issued.certificateChain);
    await writeFile(join(folder, 'certs/key.pem'), issued.privateKey);
    await writeFile(join(folder, 'certs/root-cert.pem'), issued.rootCertificate);
    await write('mesh/topology.yaml', topology);
  });
  afterEach(async () => {
    if (agent.exitCode === null) agent.kill('SIGKILL');
    const envoy = envoyPid();
    if (envoy !== undefined) kill(envoy);
    await exit;
    await rm(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const read = (name: string): Promise<string> => readFile(join(folder, 'etc/mesh/proxy', name), 'utf8');
  const start = (args: string[] = ['--policies', 'mesh'], environment: Record<string, string> = {}): void => {
    const script = 'ip link set lo up && exec "$@"';
    const argv = [process.execPath, program, 'proxy', 'sidecar', '--id', 'httpbin.foo', '--concurrency', '1', ...args];
    output = '';
    agent = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', ...argv], {
      cwd: folder,
      env: { PATH: process.env.PATH, PROV_CERT: 'certs', TERMINATION_DRAIN_DURATION_SECONDS: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [agent.stdout, agent.stderr]) stream?.on('data', (text) => (output += text));
    exit = once(agent, 'close').then(([code]) => code as number | null);
  };
  const logged = (text: string | RegExp): Promise<void> =>
    vi.waitFor(() => expect(output).toMatch(text), { timeout: 20_000, interval: 20 });
  const envoyPid = (): number | undefined => {
    const [, pid] = /Envoy started\tpid=(\d+)/.exec(output) ?? [];
    return pid === undefined ? undefined : Number(pid);
  };
  const curl = (url: string): string => {
    const inside = [
      '-t',
      String(agent.pid),
      '-n',
      ...(process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials']),
    ];
    const { stdout } = spawnSync('nsenter', [...inside, 'curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', url]);
    return stdout.toString();
  };

  test('compiles, serves, follows changes, keeps the last good policies, and stops when told to', async () => {
    start();
    await logged('state=running');
    expect(curl('http://127.0.0.1:15020/healthz/ready')).toBe('200');
    expect(curl('http://127.0.0.1:15021/healthz/ready')).toBe('200');
    const before = await read('listeners.json');

    await write('mesh/peer.yaml', strict('STRICT'));
    await vi.waitFor(async () => expect(await read('origins.json')).toContain('mesh/peer.yaml'), 10_000);
    expect(await read('listeners.json')).not.toBe(before);

    await write('mesh/peer.yaml', strict('STRICKT'));
    await logged(/the last good configuration stays in force: mesh\/peer\.yaml:4:\d+: error: /);
    expect(curl('http://127.0.0.1:15020/healthz/ready')).toBe('200');

    await rm(join(folder, 'mesh/peer.yaml'));
    await vi.waitFor(async () => expect(await read('listeners.json')).toBe(before), 10_000);
    agent.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(isAlive(envoyPid() ?? 0)).toBe(false);
  });

  test('takes its policies from configSources, and its ports and drain from the mesh configuration', async () => {
    const defaultConfig = 'defaultConfig: {proxyAdminPort: 15100, statusPort: 15120, terminationDrain: graceful}';
    await write('mesh.yaml', `configSources: [{address: "fs://${folder}/mesh"}]\n${defaultConfig}\n`);
    start(['--meshConfig', 'mesh.yaml']);
    await logged('state=running');
    expect(curl('http://127.0.0.1:15120/healthz/ready')).toBe('200');
    expect(curl('http://127.0.0.1:15100/ready')).toBe('200');
  });

  test('passes on the signal that ended Envoy', async () => {
    start();
    await logged('state=running');
    kill(envoyPid() ?? 0);
    expect(await exit).toBe(137);
  });

  test('does not start Envoy with invalid policies, and says where they are wrong', async () => {
    await write('mesh/peer.yaml', strict('STRICKT'));
    start();
    expect(await exit).toBe(1);
    expect(output).toMatch(/mesh\/peer\.yaml:4:\d+: error: .*STRICKT/);
    expect(envoyPid()).toBeUndefined();
  });

  test('says that a port of the bootstrap is taken, and ends with the code of Envoy', async () => {
    await write('mesh.yaml', 'defaultConfig: {statusPort: 15090}\n');
    start(['--policies', 'mesh', '--meshConfig', 'mesh.yaml']);
    expect(await exit).toBe(1);
    expect(output).toContain('Address already in use');
  });

  test('ends with 0 when the signal comes before everything else', async () => {
    start();
    // SIGHUP is caught with the others, and by nobody else: Node itself catches SIGTERM from its start, and dies of it.
    const catches = async (): Promise<boolean> => ((await caughtSignals(agent.pid ?? 0)) & 1n) === 1n;
    await vi.waitFor(async () => expect(await catches()).toBe(true), { timeout: 5_000, interval: 1 });
    agent.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(output).not.toContain('state=running');
  });

  test('refuses an Envoy that is none', async () => {
    start(['--policies', 'mesh', '--proxyBinary', '/bin/true']);
    expect(await exit).toBe(3);
    expect(output).toContain('"/bin/true" is no Envoy');
  });
});

/** Bits of the signals that a process catches, SIGHUP the lowest (SigCgt of proc(5)). */
async function caughtSignals(pid: number): Promise<bigint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, mask = '0'] = /SigCgt:\s*([0-9a-f]+)/.exec(status) ?? [];
  return BigInt(`0x${mask}`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: nobody has this id any more.
    return false;
  }
}

function kill(pid: number): void {
  if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL');
}
