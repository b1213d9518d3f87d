import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { AuthorityError, type AuthorityOptions } from './authority.ts';
import { systemClock } from './clock.ts';
import { identityRequests } from './obtain.ts';
import type { SecretSnapshot } from './snapshot.ts';
import {
  authorityIn,
  type SeenRequest,
  startTestAuthority,
  type TestAnswer,
  type TestAuthority,
  testSpiffeId,
} from './testing/test-authority.ts';

let folder: string;
let authority: TestAuthority;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'obtain-'));
  authority = await startTestAuthority();
});
afterEach(async () => {
  authority.close();
  await rm(folder, { recursive: true });
});

const attempt = { deadlineMs: 5_000, signal: new AbortController().signal };
const ask = async (changes: Partial<AuthorityOptions> = {}): Promise<SecretSnapshot> =>
  identityRequests(await authorityIn(folder, authority, changes), systemClock)(attempt);
const jwt = (claims: object): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${'s'.repeat(20)}`;

describe('identityRequests', () => {
  test.each(['RSA', 'ECDSA'] as const)('gets a certificate for a key of its own (%s)', async (keyAlgorithm) => {
    const snapshot = await ask({ keyAlgorithm, lifetimeMs: 3_600_500 });
    expect(snapshot.spiffeId).toBe(testSpiffeId);
    const [root, leaf] = [join(folder, 'root.pem'), join(folder, 'leaf.pem')];
    await writeFile(root, snapshot.rootCertificates);
    await writeFile(leaf, snapshot.certificateChain);
    expect(execFileSync('openssl', ['verify', '-CAfile', root, leaf]).toString()).toContain('OK');
    const [seen] = authority.seen as [SeenRequest];
    expect(seen.request.validitySeconds).toBe(3_600n);
    expect(seen.metadata.get('authorization')).toEqual(['Bearer first.token.x']);
    expect(seen.metadata.get('clusterid')).toEqual(['Cluster']);
  });

  test('makes a new key for each certificate', async () => {
    const request = identityRequests(await authorityIn(folder, authority), systemClock);
    const keys = [(await request(attempt)).privateKey, (await request(attempt)).privateKey];
    expect(new Set(keys).size).toBe(2);
  });

  test('reads the token anew for each attempt', async () => {
    const options = await authorityIn(folder, authority);
    const request = identityRequests(options, systemClock);
    await request(attempt);
    await writeFile(join(folder, 'next'), '  second.token.x \n');
    await rename(join(folder, 'next'), options.tokenPath as string);
    await request(attempt);
    const tokens = authority.seen.map(({ metadata }) => metadata.get('authorization')[0]);
    expect(tokens).toEqual(['Bearer first.token.x', 'Bearer second.token.x']);
  });

  test('takes the names that no variable gives from the token', async () => {
    const names = { trustDomain: 'cluster.local', namespace: undefined, serviceAccount: undefined };
    const options = await authorityIn(folder, authority, { names });
    await writeFile(options.tokenPath as string, jwt({ sub: 'system:serviceaccount:foo:httpbin' }));
    expect((await identityRequests(options, systemClock)(attempt)).spiffeId).toBe(testSpiffeId);
  });

  test('trusts the authority by the root of the disk, read for each connection', async () => {
    const options = await authorityIn(folder, authority);
    const request = identityRequests(options, systemClock);
    await writeFile(options.rootPath, (await createMeshCa()).rootCertificate);
    await expect(request(attempt)).rejects.toThrow(/UNAVAILABLE/);
    await rm(options.rootPath);
    await expect(request(attempt)).rejects.toThrow(/cannot read the root certificate .*ENOENT/);
    expect(authority.seen).toEqual([]);
    await writeFile(options.rootPath, authority.ca.rootCertificate);
    await expect(request(attempt)).resolves.toBeDefined();
  });

  test('goes on with the root in force when the file of roots is lost', async () => {
    const options = await authorityIn(folder, authority);
    const request = identityRequests(options, systemClock);
    await request(attempt);
    await writeFile(options.rootPath, '');
    await expect(request(attempt)).resolves.toBeDefined();
  });
});

describe('an answer that is not as it should be', () => {
  const cases: readonly (readonly [string, (seen: SeenRequest) => TestAnswer | Promise<TestAnswer>, RegExp])[] = [
    [
      'one element',
      async (seen) => ({ certificateChain: (await authority.good(seen)).certificateChain.slice(0, 1) }),
      /1 elements/,
    ],
    ['no element', () => ({ certificateChain: [] }), /0 elements/],
    ['the key of another', async () => chainOf(await authority.ca.issue(testSpiffeId)), /is not the key/],
    [
      'another identity',
      (seen) => authority.good(seen, { uris: ['spiffe://cluster.local/ns/foo/sa/admin'] }),
      /sa\/admin, and/,
    ],
    ['two identities', (seen) => authority.good(seen, { uris: [testSpiffeId, 'spiffe://a/b'] }), /2 URI SANs/],
    ['no identity', (seen) => authority.good(seen, { uris: [], dnsNames: ['default'] }), /0 URI SANs/],
    ['an expired leaf', (seen) => authority.good(seen, { days: -1 }), /expired/],
    ['a leaf of tomorrow', (seen) => authority.good(seen, { startDays: 1, days: 2 }), /not valid before/],
    ['a CA', (seen) => authority.good(seen, { isCa: true }), /is a CA/],
    [
      'a root that did not sign',
      async (seen) => withRoot(await authority.good(seen), (await createMeshCa()).rootCertificate),
      /does not lead to/,
    ],
    ['junk', () => ({ certificateChain: ['junk', 'junk'] }), /holds no certificate/],
    ['10 MB', () => ({ certificateChain: ['x'.repeat(10_000_000), 'x'] }), /RESOURCE_EXHAUSTED/],
  ];
  test.each(cases)('is refused: %s', async (_name, answer, reason) => {
    authority.answer = answer;
    await expect(ask()).rejects.toThrow(reason);
  });

  test('is refused: a whole other mesh, with its own root', async () => {
    const other = await createMeshCa();
    authority.answer = async ({ request }) => ({
      certificateChain: [await other.certify(request.csr, testSpiffeId), other.rootCertificate],
    });
    await expect(ask()).rejects.toThrow(/none of its roots is known/);
  });

  test('is taken from a bundle of old and new root, each root once and in one order', async () => {
    const other = await createMeshCa();
    const bundles = [
      authority.ca.rootCertificate + other.rootCertificate,
      other.rootCertificate + authority.ca.rootCertificate,
    ];
    const served = new Set<string>();
    for (const bundle of bundles) {
      authority.answer = async ({ request }) => ({
        certificateChain: [await other.certify(request.csr, testSpiffeId), `${bundle}${bundle}`],
      });
      served.add((await ask()).rootCertificates);
    }
    expect(served.size).toBe(1);
    expect([...served].join('').match(/BEGIN/g)).toHaveLength(2);
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
    authority.answer = () => ({ code: status[code], details: 'no: first.token.x\nbad' });
    await expect(ask()).rejects.toMatchObject({ remedy, message: expect.stringMatching(/: no: \[token\] bad$/) });
  });

  test('names a token that expired on disk', async () => {
    const options = await authorityIn(folder, authority);
    await writeFile(options.tokenPath as string, jwt({ exp: 1_000_000_000 }));
    authority.answer = () => ({ code: status.UNAUTHENTICATED, details: 'no' });
    await expect(identityRequests(options, systemClock)(attempt)).rejects.toThrow(/expired at 2001-09-09T01:46:40/);
  });

  test.each<[string, string, RegExp]>([
    ['an empty token', '\n', /is empty/],
    ['a token with a line break', 'a\nb', /holds no token/],
  ])('%s is not sent', async (_name, text, reason) => {
    const options = await authorityIn(folder, authority);
    await writeFile(options.tokenPath as string, text);
    await expect(identityRequests(options, systemClock)(attempt)).rejects.toThrow(reason);
    expect(authority.seen).toEqual([]);
  });

  test('ends at its deadline when the authority never answers', async () => {
    authority.answer = () => 'silence';
    const options = await authorityIn(folder, authority);
    await expect(identityRequests(options, systemClock)({ ...attempt, deadlineMs: 300 })).rejects.toThrow(/DEADLINE/);
  });

  test('ends at its deadline when nobody speaks at all', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { readonly port: number };
    const options = await authorityIn(folder, { ca: authority.ca, port });
    const started = performance.now();
    await expect(identityRequests(options, systemClock)({ ...attempt, deadlineMs: 300 })).rejects.toThrow(/DEADLINE/);
    expect(performance.now() - started).toBeLessThan(3_000);
    silent.close();
  });
});

describe('the pair of PROV_CERT', () => {
  const provision = async (days: number): Promise<string> => {
    const machine = await authority.ca.issue('spiffe://cluster.local/ns/foo/sa/machine', { days });
    const provisioned = join(folder, 'prov');
    await mkdir(provisioned, { recursive: true });
    await writeFile(join(provisioned, 'cert-chain.pem'), machine.certificateChain);
    await writeFile(join(provisioned, 'key.pem'), machine.privateKey);
    return provisioned;
  };

  test('is shown as client certificate, without any token', async () => {
    const { ca } = authority;
    authority.close();
    authority = await startTestAuthority({ ca, asksForCertificate: true });
    await ask({ provisionedFolder: await provision(1), tokenPath: undefined });
    expect(authority.seen[0]?.client).toBe('spiffe://cluster.local/ns/foo/sa/machine');
    expect(authority.seen[0]?.metadata.get('authorization')).toEqual([]);
  });

  test('gives way to the token once it has expired', async () => {
    await ask({ provisionedFolder: await provision(-1) });
    expect(authority.seen[0]?.metadata.get('authorization')).toEqual(['Bearer first.token.x']);
  });

  test('that TLS does not take, half of a chain, say, gives way to the token, and is named without one', async () => {
    const provisionedFolder = await provision(1);
    await appendFile(join(provisionedFolder, 'cert-chain.pem'), '-----BEGIN CERTIFICATE-----\nMIIB');
    await ask({ provisionedFolder });
    expect(authority.seen[0]?.client).toBeUndefined();
    const asked = ask({ provisionedFolder, tokenPath: undefined });
    await expect(asked).rejects.toBeInstanceOf(AuthorityError);
    await expect(asked).rejects.toThrow(/the pair in ".*prov" is not used: it cannot be shown/);
  });

  test('that has expired, without a token, is named with the reason', async () => {
    const asked = ask({ provisionedFolder: await provision(-1), tokenPath: undefined });
    await expect(asked).rejects.toThrow(/nothing to show.*JWT_POLICY.*expired/);
    expect(authority.seen).toEqual([]);
  });
});

describe('an address of port 15010', () => {
  test('is spoken to in the clear, and no other one', async () => {
    authority.close();
    authority = await startTestAuthority({ isPlaintext: true, port: 15_010 });
    await expect(ask()).resolves.toBeDefined();
    const { ca } = authority;
    authority.close();
    authority = await startTestAuthority({ ca, isPlaintext: true });
    await expect(ask()).rejects.toThrow(/UNAVAILABLE/);
    expect(authority.seen).toEqual([]);
  });
});

function chainOf(issued: { readonly certificateChain: string; readonly rootCertificate: string }): TestAnswer {
  return { certificateChain: [issued.certificateChain, issued.rootCertificate] };
}

function withRoot(answer: { readonly certificateChain: readonly string[] }, root: string): TestAnswer {
  return { certificateChain: [...answer.certificateChain.slice(0, -1), root] };
}
