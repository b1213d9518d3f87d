import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { isAlive } from '../../testing/processes.ts';
import { kill, ProxyProgram } from './testing/proxy-program.ts';
import { peerMode, serviceMesh } from './testing/sample-mesh.ts';

describe('pilot-agent proxy', () => {
  let proxy: ProxyProgram;

  beforeEach(async () => {
    proxy = await ProxyProgram.create(serviceMesh);
  });
  afterEach(() => proxy.close());

  test('compiles, serves, follows changes, keeps the last valid policies, and stops when told to', async () => {
    proxy.start();
    await proxy.untilReady();
    expect(proxy.curl('http://127.0.0.1:15021/healthz/ready').status).toBe(200);
    const before = await proxy.read('listeners.json');

    await proxy.write('mesh/peer.yaml', peerMode('STRICT'));
    await eventually(async () => expect(await proxy.read('origins.json')).toContain('mesh/peer.yaml'));
    expect(await proxy.read('listeners.json')).not.toBe(before);

    await proxy.write('mesh/peer.yaml', peerMode('STRICKT'));
    await proxy.logged(
      /the last valid version of PeerAuthentication foo\/default stays in force: mesh\/peer\.yaml:4:\d+: error: /,
    );
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);

    await proxy.remove('mesh/peer.yaml');
    await eventually(async () => expect(await proxy.read('listeners.json')).toBe(before));
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(isAlive(proxy.envoyPid ?? 0)).toBe(false);
  });

  test('takes its policies from configSources, and its ports and drain from the mesh configuration', async () => {
    const defaultConfig = 'defaultConfig: {proxyAdminPort: 15100, statusPort: 15120, terminationDrain: graceful}';
    await proxy.write('mesh.yaml', `configSources: [{address: "fs://${proxy.folder}/mesh"}]\n${defaultConfig}\n`);
    proxy.start({ args: ['--meshConfig', 'mesh.yaml'] });
    await proxy.untilReady(15_120);
    expect(proxy.curl('http://127.0.0.1:15100/ready').status).toBe(200);
  });

  test('passes on the signal that ended Envoy', async () => {
    proxy.start();
    await proxy.logged('state=running');
    kill(proxy.envoyPid ?? 0);
    expect(await proxy.exit).toBe(137);
  });

  test('does not start Envoy with invalid policies, and says where they are wrong', async () => {
    await proxy.write('mesh/peer.yaml', peerMode('STRICKT'));
    proxy.start();
    expect(await proxy.exit).toBe(1);
    expect(proxy.output).toMatch(/mesh\/peer\.yaml:4:\d+: error: .*STRICKT/);
    expect(proxy.envoyPid).toBeUndefined();
  });

  test('does not start Envoy if another process uses a port of its listeners, and names the process', async () => {
    const listen =
      'import socket, time; s = socket.socket(); s.bind(("", 15090)); s.listen(); print("taken"); time.sleep(20)';
    const prepare = `mkfifo taken; { python3 -u -c '${listen}' > taken 2>/dev/null & }; read _ < taken`;
    proxy.start({ prepare });
    expect(await proxy.exit).toBe(3);
    expect(proxy.output).toMatch(
      /the listener "[\w.-]+" cannot use 0\.0\.0\.0:15090, where process \d+ \(python3\S*\) listens/,
    );
    expect(proxy.envoyPid).toBeUndefined();
  });

  test('does not start Envoy with a status port that Envoy listens on', async () => {
    await proxy.write('mesh.yaml', 'defaultConfig: {statusPort: 15090}\n');
    proxy.start({ args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'] });
    expect(await proxy.exit).toBe(1);
    expect(proxy.output).toContain('"statusPort" is "15090" (from mesh.yaml:1), expected a port that Envoy does not');
    expect(proxy.envoyPid).toBeUndefined();
  });

  test('ends with 0 when the signal comes before everything else', async () => {
    proxy.start();
    // SIGHUP is caught with the others, and by nobody else: Node itself catches SIGTERM from its start, and dies of it.
    const catches = async (): Promise<boolean> => ((await caughtSignals(proxy.pid)) & 1n) === 1n;
    await eventually(async () => expect(await catches()).toBe(true), { interval: 1 });
    proxy.signal('SIGTERM');
    expect(await proxy.exit).toBe(0);
    expect(proxy.output).not.toContain('state=running');
  });

  test('refuses an Envoy that is none', async () => {
    proxy.start({ args: ['--policies', 'mesh', '--proxyBinary', '/bin/true'] });
    expect(await proxy.exit).toBe(3);
    expect(proxy.output).toContain('"/bin/true" is no Envoy');
  });
});

/** Bits of the signals that a process catches, SIGHUP the lowest (SigCgt of proc(5)). */
async function caughtSignals(pid: number): Promise<bigint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, mask = '0'] = /SigCgt:\s*([0-9a-f]+)/.exec(status) ?? [];
  return BigInt(`0x${mask}`);
}
