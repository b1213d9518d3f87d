import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { openAuthority } from './ca/open-authority.ts';
import { keepOwnCertificate } from './server/own-certificate.ts';
import { createTestAuthority, type TestAuthority } from './testing/authorities.ts';
import { ControlBench, send } from './testing/control-bench.ts';
import { createTestRequest } from './testing/signing-requests.ts';

let bench: ControlBench;
beforeEach(async () => {
  bench = await ControlBench.create();
});
afterEach(() => bench.close());

/** The files of an authority, put into force by one swap of a link, as a mounted volume does it. */
async function plugIn(signing: TestAuthority, roots: readonly TestAuthority[], version: number): Promise<void> {
  const folder = bench.path('ca');
  const files = {
    'ca-cert.pem': signing.certificate,
    'ca-key.pem': signing.privateKey,
    'cert-chain.pem': signing.certificate,
    'root-cert.pem': roots.map(({ certificate }) => certificate).join(''),
  };
  await mkdir(join(folder, `..${version}`), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, `..${version}`, name), text);
    await symlink(`..data/${name}`, join(folder, name)).catch(() => undefined);
  }
  await symlink(`..${version}`, join(folder, '..new'));
  await rename(join(folder, '..new'), join(folder, '..data'));
}

const said = (message: string): Promise<void> =>
  eventually(() => expect(bench.lines.map((line) => line.message)).toContain(message), { interval: 20 });

/** Subject of who signed the certificate that a new connection is shown. */
async function shownIssuer(): Promise<string> {
  const socket = connect({ port: bench.port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { issuer } = socket.getPeerX509Certificate() ?? {};
  socket.destroy();
  return issuer ?? '';
}

describe('a plugged-in authority', () => {
  test('signs with new intermediate certificates as soon as they exist, and no request fails meanwhile', async () => {
    const root = await createTestAuthority({ name: 'root' });
    const signing = await Promise.all(['a', 'b', 'c'].map((name) => createTestAuthority({ name, parent: root })));
    await plugIn(signing[0]!, [root], 0);
    await bench.start();
    const client = bench.connect(root.certificate);
    const { csr } = await createTestRequest();
    const token = await bench.mint.mint('foo/httpbin');
    const issuers = new Set<string>();
    let failures = 0;
    let isRunning = true;
    const load = (async () => {
      while (isRunning) {
        const { code, chain } = await send(client, { csr, token });
        if (code !== 0 || chain.length !== 3) failures++;
        else issuers.add(new X509Certificate(chain[0]!).issuer);
      }
    })();
    for (const version of [1, 2]) {
      const { subject } = new X509Certificate(signing[version]!.certificate);
      await plugIn(signing[version]!, [root], version);
      await eventually(() => expect([...issuers]).toContain(subject), { interval: 10 });
      await eventually(async () => expect(await shownIssuer()).toBe(subject), { interval: 20 });
    }
    isRunning = false;
    await load;
    client.close();
    expect([failures, issuers.size]).toEqual([0, 3]);
  });

  test('accepts a change of its root in two steps with both roots in between, and refuses it in one', async () => {
    const [old, fresh] = [await createTestAuthority({ name: 'old' }), await createTestAuthority({ name: 'new' })];
    const [below, belowNew] = [
      await createTestAuthority({ name: 'a', parent: old }),
      await createTestAuthority({ name: 'b', parent: fresh }),
    ];
    await plugIn(below, [old], 0);
    await bench.start();
    const rootsOfAnswer = async (...trusted: readonly TestAuthority[]): Promise<string | undefined> => {
      const token = await bench.mint.mint('foo/httpbin');
      const request = { csr: (await createTestRequest()).csr, token };
      return (await bench.call(trusted.map(({ certificate }) => certificate).join(''), request)).chain.at(-1);
    };

    await plugIn(belowNew, [fresh], 1);
    await said('the certificate authority stays as it was');
    expect(await rootsOfAnswer(old)).toBe(old.certificate);

    const steps: readonly (readonly [TestAuthority, readonly TestAuthority[]])[] = [
      [below, [old, fresh]],
      [belowNew, [old, fresh]],
      [belowNew, [fresh]],
    ];
    for (const [i, [signing, roots]] of steps.entries()) {
      bench.lines.length = 0;
      await plugIn(signing, roots, 2 + i);
      await said('another certificate authority is in force');
      expect(await rootsOfAnswer(old, fresh)).toBe(roots.map(({ certificate }) => certificate).join(''));
    }
  });

  test('no longer authenticates callers under a removed root, also on open connections', async () => {
    const [old, fresh] = [await createTestAuthority({ name: 'old' }), await createTestAuthority({ name: 'new' })];
    await plugIn(old, [old, fresh], 0);
    await bench.start();
    const trusted = old.certificate + fresh.certificate;
    const uris = ['spiffe://cluster.local/ns/foo/sa/httpbin'];
    const open = bench.connect(
      trusted,
      await createTestAuthority({ parent: old, name: 'leaf', isCa: false, usages: 1, uris }),
    );
    const { csr } = await createTestRequest();
    expect((await send(open, { csr })).code).toBe(0);
    await plugIn(fresh, [old, fresh], 1);
    await said('another certificate authority is in force');
    expect((await send(open, { csr })).code).toBe(0);
    bench.lines.length = 0;
    await plugIn(fresh, [fresh], 2);
    await said('another certificate authority is in force');
    expect(status[(await send(open, { csr })).code]).toBe('UNAUTHENTICATED');
    open.close();
  });

  test('stays active when one of its files disappears, and logs which one', async () => {
    const root = await createTestAuthority({ name: 'root' });
    await plugIn(root, [root], 0);
    await bench.start();
    await rm(bench.path('ca/..data/ca-key.pem'));
    await said('the certificate authority stays as it was');
    const reason = bench.lines.find(({ level }) => level === 'error')?.fields.reason;
    expect(reason).toMatch(/is incomplete: ca-key.pem missing$/);
    const request = { csr: (await createTestRequest()).csr, token: await bench.mint.mint('foo/httpbin') };
    expect((await bench.call(root.certificate, request)).code).toBe(0);
  });

  test('is not replaced by a self-signed one when it is invalid at startup', async () => {
    const root = await createTestAuthority({ name: 'root' });
    await plugIn(root, [root], 0);
    await writeFile(bench.path('ca/..data/ca-key.pem'), 'broken');
    await expect(bench.start()).rejects.toMatchObject({
      code: 'authority-unusable',
      message: `in "${bench.path('ca')}": ca-key.pem holds no private key`,
    });
  });
});

describe('the certificate of the control plane', () => {
  test('is renewed at half of its lifetime, also when the clock jumps, and is valid for a year', async () => {
    let nowMs = Date.now();
    const clock = (): number => nowMs;
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const options = {
      folder: bench.path('ca'),
      trustDomain: 'cluster.local',
      keyAlgorithm: 'ECDSA',
      clock,
      log,
    } as const;
    const { authority } = await openAuthority(options);
    const ends: number[] = [];
    const use = async ({ notAfterMs }: { notAfterMs: number }): Promise<void> => void ends.push(notAfterMs);
    const kept = await keepOwnCertificate({
      authority,
      names: ['meshd.mesh-system.svc', '::1'],
      clock,
      log,
      use,
      lookMs: 10,
    });
    const day = 86_400_000;
    nowMs += 20 * 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ends).toEqual([Math.floor((nowMs - 20 * 3_600_000 + 365 * day) / 1000) * 1000]);
    nowMs += 182 * day;
    await eventually(() => expect(ends).toHaveLength(2));
    nowMs -= 300 * day;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ends).toHaveLength(2);
    kept.close();
  });

  test('has the names of the control plane, and only its owner can read it', async () => {
    const own = bench.path('own/server');
    await bench.start((config) => ({
      ...config,
      secure: {
        ...config.secure!,
        certificate: { names: ['meshd.mesh-system.svc', '127.0.0.1', '::1'], outputFolder: own },
      },
    }));
    const leaf = new X509Certificate(await readFile(join(own, 'cert-chain.pem')));
    expect(leaf.subjectAltName).toBe('DNS:meshd.mesh-system.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(await readFile(join(own, 'self-signed-root.pem'), 'utf8')).toBe(
      await readFile(bench.path('ca/self-signed-root.pem'), 'utf8'),
    );
    const modes = ['', 'key.pem', 'cert-chain.pem'].map(async (name) => (await stat(join(own, name))).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600]);
  });

  test('of the operator is used, and its replacement as soon as it exists', async () => {
    const [first, second] = [
      await createTestAuthority({ name: 'first' }),
      await createTestAuthority({ name: 'second' }),
    ];
    const write = async ({ certificate, privateKey }: TestAuthority): Promise<void> => {
      await writeFile(bench.path('cert-chain.pem'), certificate);
      await writeFile(bench.path('key.pem'), privateKey);
    };
    await write(first);
    await bench.start((config) => ({
      ...config,
      secure: { ...config.secure!, certificate: { folder: bench.folder } },
    }));
    expect(await shownIssuer()).toContain('CN=first');
    await write(second);
    await eventually(async () => expect(await shownIssuer()).toContain('CN=second'));
  });
});
