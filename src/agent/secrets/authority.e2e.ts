import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuthorityOptions } from '../../identity/authority.ts';
import {
  authorityIn,
  startTestAuthority,
  type TestAuthority,
  testSpiffeId,
} from '../../identity/testing/test-authority.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePort } from '../../testing/free-ports.ts';
import { type AgentBench, type BenchOptions, httpGet, startBench } from '../testing/agent-bench.ts';

let folder: string;
let ca: MeshCa;
let client: IssuedCertificate;
let authority: TestAuthority;
let agent: AgentBench | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authority-'));
  ca = await createMeshCa();
  client = await ca.issue('spiffe://cluster.local/ns/foo/sa/client');
  authority = await startTestAuthority({ ca });
});
afterEach(async () => {
  await agent?.close();
  authority.close();
  await rm(folder, { recursive: true, force: true });
});

const start = async (
  changes: Partial<AuthorityOptions> = {},
  config: NonNullable<BenchOptions['config']> = {},
): Promise<AgentBench> => {
  const options = await authorityIn(join(folder, 'platform'), authority, changes);
  agent = await startBench({
    folder,
    config: { ...config, authority: options },
    sample: { tlsPort: await freePort() },
  });
  return agent;
};

/** What a new TLS connection meets; undefined when none can be made. */
const meet = (port: number, by = client): Promise<X509Certificate | undefined> =>
  new Promise((resolve) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      cert: by.certificateChain,
      key: by.privateKey,
      ca: by.rootCertificate,
      checkServerIdentity: () => undefined,
    });
    // The server refuses a client's certificate only after the client's side of the handshake is done.
    socket.once('secureConnect', () => socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'));
    socket.once('data', () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });

/** Makes one connection after the other until `until` says so, a hundred a second and more; gives how many connections failed, and the serials that were met. */
const underLoad = async (port: number, until: () => boolean, by?: IssuedCertificate) => {
  const serials = new Set<string>();
  let failed = 0;
  while (!until()) {
    const met = await meet(port, by);
    if (met === undefined) failed += 1;
    else serials.add(met.serialNumber);
    await delay(4);
  }
  return { failed, serials };
};

describe('the agent with an authority', () => {
  test('has Envoy serve the identity that the authority signed, and writes it out', async () => {
    const outputFolder = join(folder, 'out');
    const bench = await start({}, { outputFolder });
    await bench.untilReady();
    const met = await meet(bench.sample.tlsPort ?? 0);
    expect(met?.subjectAltName).toBe(`URI:${testSpiffeId}`);
    // Envoy gets the identity first; the folder is filled meanwhile.
    await eventually(async () =>
      expect(await readdir(outputFolder)).toEqual(expect.arrayContaining(['cert-chain.pem', 'key.pem'])),
    );
    expect(new X509Certificate(await readFile(join(outputFolder, 'cert-chain.pem'))).serialNumber).toBe(
      met?.serialNumber,
    );
    const key = (await readFile(join(outputFolder, 'key.pem'), 'utf8')).split('\n')[1] as string;
    expect(bench.lines.join('')).not.toContain(key);
    expect(bench.lines.join('')).not.toContain('first.token.x');
  });

  test('does not start where nothing can be written out', async () => {
    await writeFile(join(folder, 'file'), '');
    for (const outputFolder of [join(folder, 'file'), '/proc/nowhere/certs']) {
      const bench = await start({}, { outputFolder });
      await expect(bench.exitCode).rejects.toThrow(/OUTPUT_CERTS/);
    }
  });

  test('starts Envoy before the CA is reachable, says why it is not ready, and then becomes ready', async () => {
    const { port } = authority;
    authority.close();
    const bench = await start();
    await bench.untilLogged('there is no certificate yet: cannot connect to the authority at localhost');
    await eventually(async () => {
      const { status, body } = await httpGet(bench.statusPort, '/healthz/ready');
      expect(status).toBe(503);
      expect(body).toContain('no identity: cannot connect to the authority at localhost');
    });
    authority = await startTestAuthority({ ca, port });
    await eventually(async () => expect(await bench.readiness()).toBe(200));
  });

  test('rotates certificates of 5 s under new connections, none of which fails', async () => {
    const bench = await start({ lifetimeMs: 5_000 });
    await bench.untilReady();
    const end = performance.now() + 9_000;
    const { failed, serials } = await underLoad(bench.sample.tlsPort ?? 0, () => performance.now() > end);
    expect(failed).toBe(0);
    expect(serials.size).toBeGreaterThanOrEqual(3);
  });

  test('goes on with its certificate while the authority is away, and renews when it is back', async () => {
    const bench = await start({ lifetimeMs: 12_000, graceRatio: 0.8 });
    await bench.untilReady();
    const { port } = authority;
    authority.close();
    let isRenewed = false;
    const load = underLoad(bench.sample.tlsPort ?? 0, () => isRenewed);
    await bench.untilLogged('the certificate cannot be renewed');
    authority = await startTestAuthority({ ca, port });
    await eventually(() => expect(authority.seen).toHaveLength(1), { interval: 20 });
    await eventually(() => expect(bench.lines.filter((line) => line.includes('identity in service'))).toHaveLength(2));
    isRenewed = true;
    expect((await load).failed).toBe(0);
  });

  test('refuses an answer for another, and keeps what it has', async () => {
    const bench = await start({ lifetimeMs: 6_000 });
    await bench.untilReady();
    const before = await meet(bench.sample.tlsPort ?? 0);
    authority.answer = (seen) => authority.good(seen, { uris: ['spiffe://cluster.local/ns/foo/sa/admin'] });
    await bench.untilLogged('answer is refused: it is for spiffe://cluster.local/ns/foo/sa/admin');
    expect((await meet(bench.sample.tlsPort ?? 0))?.serialNumber).toBe(before?.serialNumber);
  });

  test('changes the root over a bundle of both; no connection of old or new fails meanwhile', async () => {
    const bench = await start({ lifetimeMs: 6_000 });
    await bench.untilReady();
    const next = await createMeshCa();
    const both = ca.rootCertificate + next.rootCertificate;
    const trusting = (issued: IssuedCertificate): IssuedCertificate => ({ ...issued, rootCertificate: both });
    const newcomer = trusting(await next.issue('spiffe://cluster.local/ns/foo/sa/client'));
    const tlsPort = bench.sample.tlsPort ?? 0;
    expect(await meet(tlsPort, newcomer)).toBeUndefined();
    let isOver = false;
    const oldClients = underLoad(tlsPort, () => isOver, trusting(client));
    authority.answer = async ({ request }) => ({
      certificateChain: [await next.certify(request.csr, testSpiffeId, { days: 6 / 86_400 }), both],
    });
    await eventually(async () => expect(await meet(tlsPort, newcomer)).toBeDefined(), { interval: 20 });
    const { failed } = await underLoad(tlsPort, after(4_000), newcomer);
    expect(failed).toBe(0);
    isOver = true;
    expect((await oldClients).failed).toBe(0);
    authority.answer = async ({ request }) => ({
      // It lasts for as long as the test goes on, on a busy machine too.
      certificateChain: [await next.certify(request.csr, testSpiffeId, { days: 600 / 86_400 }), next.rootCertificate],
    });
    await eventually(async () => expect(await meet(tlsPort, trusting(client))).toBeUndefined());
    expect(await meet(tlsPort, newcomer)).toBeDefined();
  });

  test('gives an Envoy that was started again everything', async () => {
    const bench = await start({}, { restartPolicy: 'always' });
    await bench.untilReady();
    const before = await meet(bench.sample.tlsPort ?? 0);
    authority.close();
    process.kill(bench.envoyPid, 'SIGKILL');
    await bench.untilLogged('Envoy is started again');
    await bench.untilReady();
    expect((await meet(bench.sample.tlsPort ?? 0))?.serialNumber).toBe(before?.serialNumber);
  });
});

function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}
