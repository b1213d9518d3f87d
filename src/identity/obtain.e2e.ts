import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { createMeshCa } from '../testing/certificates.ts';
import { AuthorityError } from './authority.ts';
import { identityRequests } from './obtain.ts';
import { attempt, type ObtainBench, startObtainBench } from './testing/obtain-bench.ts';
import { authorityIn, type SeenRequest, testSpiffeId } from './testing/test-authority.ts';

let bench: ObtainBench;
beforeEach(async () => {
  bench = await startObtainBench();
});
afterEach(() => bench.close());

const jwt = (claims: object): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${'s'.repeat(20)}`;

describe('identityRequests', () => {
  test.each(['RSA', 'ECDSA'] as const)('gets a certificate for a key of its own (%s)', async (keyAlgorithm) => {
    const snapshot = await bench.ask({ keyAlgorithm, lifetimeMs: 3_600_500 });
    expect(snapshot.spiffeId).toBe(testSpiffeId);
    const [root, leaf] = [join(bench.folder, 'root.pem'), join(bench.folder, 'leaf.pem')];
    await writeFile(root, snapshot.rootCertificates);
    await writeFile(leaf, snapshot.certificateChain);
    expect(execFileSync('openssl', ['verify', '-CAfile', root, leaf]).toString()).toContain('OK');
    const [seen] = bench.authority.seen as [SeenRequest];
    expect(seen.request.validitySeconds).toBe(3_600n);
    expect(seen.metadata.get('authorization')).toEqual(['Bearer first.token.x']);
    expect(seen.metadata.get('clusterid')).toEqual(['Cluster']);
  });

  test('makes a new key for each certificate', async () => {
    const request = identityRequests(await authorityIn(bench.folder, bench.authority), systemClock);
    const keys = [(await request(attempt)).privateKey, (await request(attempt)).privateKey];
    expect(new Set(keys).size).toBe(2);
  });

  test('reads the token again for each attempt', async () => {
    const options = await authorityIn(bench.folder, bench.authority);
    const request = identityRequests(options, systemClock);
    await request(attempt);
    await writeFile(join(bench.folder, 'next'), '  second.token.x \n');
    await rename(join(bench.folder, 'next'), options.tokenPath as string);
    await request(attempt);
    const tokens = bench.authority.seen.map(({ metadata }) => metadata.get('authorization')[0]);
    expect(tokens).toEqual(['Bearer first.token.x', 'Bearer second.token.x']);
  });

  test('takes the names that no variable gives from the token', async () => {
    const names = { trustDomain: 'cluster.local', namespace: undefined, serviceAccount: undefined };
    const options = await authorityIn(bench.folder, bench.authority, { names });
    await writeFile(options.tokenPath as string, jwt({ sub: 'system:serviceaccount:foo:httpbin' }));
    expect((await identityRequests(options, systemClock)(attempt)).spiffeId).toBe(testSpiffeId);
  });

  test('trusts the CA by the root of the disk, read for each connection', async () => {
    const options = await authorityIn(bench.folder, bench.authority);
    const request = identityRequests(options, systemClock);
    await writeFile(options.rootPath, (await createMeshCa()).rootCertificate);
    await expect(request(attempt)).rejects.toThrow(/cannot connect to the authority/);
    await rm(options.rootPath);
    await expect(request(attempt)).rejects.toThrow(/cannot read the root certificate .*ENOENT/);
    expect(bench.authority.seen).toEqual([]);
    await writeFile(options.rootPath, bench.authority.ca.rootCertificate);
    await expect(request(attempt)).resolves.toBeDefined();
  });

  test('goes on with the root in force when the file of roots is lost', async () => {
    const options = await authorityIn(bench.folder, bench.authority);
    const request = identityRequests(options, systemClock);
    await request(attempt);
    await writeFile(options.rootPath, '');
    await expect(request(attempt)).resolves.toBeDefined();
  });
});

describe('a failed attempt', () => {
  test.each([
    ['INVALID_ARGUMENT', 'none'],
    ['UNAUTHENTICATED', 'credential'],
    ['PERMISSION_DENIED', 'credential'],
    ['INTERNAL', 'soon'],
    ['RESOURCE_EXHAUSTED', 'soon'],
  ] as const)('says what %s asks for, and never the token', async (code, remedy) => {
    bench.authority.answer = () => ({ code: status[code], details: 'no: first.token.x\nbad' });
    await expect(bench.ask()).rejects.toMatchObject({ remedy, message: expect.stringMatching(/: no: \[token\] bad$/) });
  });

  test('names a token that expired on disk', async () => {
    const options = await authorityIn(bench.folder, bench.authority);
    await writeFile(options.tokenPath as string, jwt({ exp: 1_000_000_000 }));
    bench.authority.answer = () => ({ code: status.UNAUTHENTICATED, details: 'no' });
    await expect(identityRequests(options, systemClock)(attempt)).rejects.toThrow(/expired at 2001-09-09T01:46:40/);
  });

  test.each<[string, string, RegExp]>([
    ['an empty token', '\n', /is empty/],
    ['a token with a line break', 'a\nb', /holds no token/],
  ])('%s is not sent', async (_name, text, reason) => {
    const options = await authorityIn(bench.folder, bench.authority);
    await writeFile(options.tokenPath as string, text);
    await expect(identityRequests(options, systemClock)(attempt)).rejects.toThrow(reason);
    expect(bench.authority.seen).toEqual([]);
  });

  test('ends at its deadline when the CA never answers', async () => {
    bench.authority.answer = () => 'silence';
    const options = await authorityIn(bench.folder, bench.authority);
    await expect(identityRequests(options, systemClock)({ ...attempt, deadlineMs: 300 })).rejects.toThrow(/DEADLINE/);
  });

  test('gives up at the deadline when the CA never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { readonly port: number };
    const options = await authorityIn(bench.folder, { ca: bench.authority.ca, port });
    await expect(identityRequests(options, systemClock)({ ...attempt, deadlineMs: 300 })).rejects.toThrow(/DEADLINE/);
    silent.close();
  });
});

describe('the pair of PROV_CERT', () => {
  const provision = async (days: number): Promise<string> => {
    const machine = await bench.authority.ca.issue('spiffe://cluster.local/ns/foo/sa/machine', { days });
    const provisioned = join(bench.folder, 'prov');
    await mkdir(provisioned, { recursive: true });
    await writeFile(join(provisioned, 'cert-chain.pem'), machine.certificateChain);
    await writeFile(join(provisioned, 'key.pem'), machine.privateKey);
    return provisioned;
  };

  test('is shown as client certificate, without any token', async () => {
    await bench.serve({ ca: bench.authority.ca, asksForCertificate: true });
    await bench.ask({ provisionedFolder: await provision(1), tokenPath: undefined });
    expect(bench.authority.seen[0]?.client).toBe('spiffe://cluster.local/ns/foo/sa/machine');
    expect(bench.authority.seen[0]?.metadata.get('authorization')).toEqual([]);
  });

  test('gives way to the token once it has expired', async () => {
    await bench.ask({ provisionedFolder: await provision(-1) });
    expect(bench.authority.seen[0]?.metadata.get('authorization')).toEqual(['Bearer first.token.x']);
  });

  test('that TLS does not take, half of a chain, say, gives way to the token, and is named without one', async () => {
    const provisionedFolder = await provision(1);
    await appendFile(join(provisionedFolder, 'cert-chain.pem'), '-----BEGIN CERTIFICATE-----\nMIIB');
    await bench.ask({ provisionedFolder });
    expect(bench.authority.seen[0]?.client).toBeUndefined();
    const asked = bench.ask({ provisionedFolder, tokenPath: undefined });
    await expect(asked).rejects.toBeInstanceOf(AuthorityError);
    await expect(asked).rejects.toThrow(/the pair in ".*prov" is not used: it cannot be shown/);
  });

  test('that has expired, without a token, is named with the reason', async () => {
    const asked = bench.ask({ provisionedFolder: await provision(-1), tokenPath: undefined });
    await expect(asked).rejects.toThrow(/nothing to show.*JWT_POLICY.*expired/);
    expect(bench.authority.seen).toEqual([]);
  });
});

describe('an address of port 15010', () => {
  test('is spoken to in the clear, and no other one', async () => {
    await bench.serve({ isPlaintext: true, port: 15_010 });
    await expect(bench.ask()).resolves.toBeDefined();
    await bench.serve({ ca: bench.authority.ca, isPlaintext: true });
    await expect(bench.ask()).rejects.toThrow(/cannot connect to the authority/);
    expect(bench.authority.seen).toEqual([]);
  });
});
