import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { repository, scratch } from '../../src/testbed/sandbox.ts';
import { node, proxyUid } from '../../src/testbed/sidecar.ts';
import { tries } from '../../src/testing/effort.ts';
import { total } from '../load/counts.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { forwarded } from '../testing/server-mesh.ts';
import {
  clientId,
  createIdentityMesh,
  freshPort,
  type IdentityMesh,
  keptPort,
  serverId,
  tokenFile,
} from './identity-mesh.ts';
import { failuresOf, openFiles, serialsOf, startCalls } from './watching.ts';

/** `make soak`: an hour at the default ratio. */
const isSoak = process.env.SOAK === '1';

describeMesh('a mesh with identities of meshd', () => {
  let mesh: IdentityMesh;
  beforeAll(async () => {
    mesh = await createIdentityMesh({ lifetime: '10s', graceRatio: isSoak ? 0.5 : 0.7, tokenSeconds: 5 });
  });
  afterAll(() => mesh?.testbed.close());

  const headers = (from: string, port = freshPort) =>
    mesh.testbed.request({ from, to: 'server.foo', port, path: '/headers' });

  test.each([freshPort, keptPort])(
    'has mutual TLS that names the client to the application (port %i)',
    async (port) => {
      const { status, body } = await headers('foo/client', port);
      expect(status).toBe('200');
      expect(forwarded.exec(body)?.[1]).toMatch(new RegExp(`^By=${serverId};Hash=[0-9a-f]{64};URI=${clientId}$`));
    },
  );

  test('refuses a client without a certificate', async () => {
    expect(await headers('legacy/client')).toMatchObject({ status: '000', exitCode: 56 });
  });

  /** Clients of the server's secrets that never answer; gives the forms of the protocol in which they were sent something. */
  async function startMuteClients(): Promise<() => Promise<readonly string[]>> {
    const { sandbox } = mesh.testbed;
    const output = join(sandbox.folder, 'mute.log');
    const argv = [node, `${repository}/e2e/identity/mute-client.ts`, `${scratch}/foo-server/etc/mesh/proxy/SDS`];
    const program = await sandbox.start(argv, output, { uid: proxyUid });
    return async () => {
      expect(program.exitCode).toBeUndefined();
      return (await readFile(output, 'utf8')).trim().split('\n');
    };
  }

  test('fails no request while certificates of 10 s are renewed, with tokens that end, in both forms of SDS, beside clients that never answer', async () => {
    expect(await mesh.testbed.sidecar('foo/client').configFile('clusters.json')).toContain('"DELTA_GRPC"');
    expect(await mesh.testbed.sidecar('foo/server').configFile('listeners.json')).toContain('"api_type": "GRPC"');
    const seen = { 'foo/client': new Set<string>(), 'foo/server': new Set<string>() };
    const hashes = new Set<string>();
    const sentToMute = await startMuteClients();
    const handshakes = (): Promise<number> =>
      mesh.testbed.sidecar('foo/server').counter('^listener\\..*_15006\\.ssl\\.handshake$');
    const handshakesBefore = await handshakes();
    const load = await startCalls(mesh);
    const began = performance.now();
    const rotations = (): number => Math.min(...[...Object.values(seen), hashes].map(({ size }) => size - 1));
    // A busy machine needs longer to see four rotations.
    const isSeen = (): boolean => rotations() >= 4 && performance.now() - began >= tries(15_000, 240);
    while (!isSeen() && performance.now() - began < tries(60_000, 60)) {
      for (const [pod, serials] of Object.entries(seen)) {
        await mesh.renewToken(pod);
        for (const serial of await serialsOf(mesh.testbed, pod)) serials.add(serial);
      }
      hashes.add(/Hash=(\w+)/.exec((await headers('foo/client')).body)?.[1] ?? 'none');
      await delay(200);
    }
    const counts = await load.stop();
    expect(failuresOf(counts)).toEqual({ failed: 0, first: [] });
    expect(total(counts).requests).toBeGreaterThan(400);
    expect((await handshakes()) - handshakesBefore).toBeGreaterThan(total(counts).requests / 3);
    for (const program of [mesh.testbed.sidecar('foo/server').program, mesh.plane]) {
      expect(await openFiles(mesh.testbed, program)).toBeLessThan(200);
    }
    expect(rotations()).toBeGreaterThanOrEqual(4);
    const issued = (await mesh.plane.issued()).map(({ serial }) => serial);
    expect(
      Object.values(seen)
        .flatMap((serials) => [...serials])
        .filter((serial) => !issued.includes(serial)),
    ).toEqual([]);
    expect([...new Set(await sentToMute())].sort()).toEqual(['DeltaSecrets', 'StreamSecrets']);
  });

  test("keeps keys off every disk but the CA's, and keys and tokens out of every log", async () => {
    const { sandbox } = mesh.testbed;
    const found = async (pattern: string, where: string): Promise<readonly string[]> => {
      const script = `cd ${scratch} && { grep -rlE '${pattern}' ${where} 2>&1 || :; }`;
      const lines = (await sandbox.must(['sh', '-c', script])).split('\n');
      // Agents and Envoys run on: a file may go while it is looked for.
      return lines.filter((line) => line !== '' && !line.endsWith(': No such file or directory'));
    };
    expect(await found('PRIVATE KEY', '.')).toEqual(['./meshd/ca/self-signed-ca.pem']);
    const token = 'eyJ[A-Za-z0-9_-]{20}';
    expect(await found(token, '*.log')).toEqual([]);
    expect((await found(token, '.')).toSorted()).toEqual(
      ['client', 'server'].map((name) => `./foo-${name}/${tokenFile}`),
    );
    expect(await mesh.testbed.sidecar('foo/server').admin('GET', '/config_dump')).not.toContain('PRIVATE KEY');
  });
});
