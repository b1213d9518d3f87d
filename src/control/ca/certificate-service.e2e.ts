import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestAuthority } from '../testing/authorities.ts';
import { ControlBench, type RawRequest, textField } from '../testing/control-bench.ts';
import { createTestRequest, flipped } from '../testing/signing-requests.ts';
import { createTokenMint } from '../testing/token-mint.ts';

const identity = 'spiffe://cluster.local/ns/foo/sa/httpbin';
const other = 'spiffe://cluster.local/ns/foo/sa/admin';
const past = Math.floor(Date.now() / 1000) - 60;
const stranger = createTokenMint();

describe('a request for a certificate', () => {
  let bench: ControlBench;
  let root: string;
  const secrets: string[] = [];
  const everything: string[] = [];

  beforeAll(async () => {
    bench = await ControlBench.create();
    await bench.start();
    root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
    secrets.push(
      (await readFile(bench.path('ca/self-signed-ca.pem'), 'utf8')).split('PRIVATE KEY-----\n')[1]!.slice(0, 64),
    );
  });
  beforeEach(() => void bench.audit());
  afterEach(() => void everything.push(JSON.stringify(bench.lines)));
  afterAll(() => bench.close());

  const token = async (form = {}): Promise<string> => {
    const text = await bench.mint.mint('foo/httpbin', form);
    secrets.push(text);
    return text;
  };

  test('with a token of the account is answered with leaf and root', async () => {
    const { csr } = await createTestRequest({ uris: [identity] });
    const { code, chain } = await bench.call(root, {
      csr,
      token: await token(),
      seconds: 3600n,
      headers: { clusterid: 'Cluster' },
    });
    expect([code, chain.length, chain[1]]).toEqual([0, 2, root]);
    const leaf = new X509Certificate(chain[0]!);
    expect([leaf.subjectAltName, leaf.verify(new X509Certificate(root).publicKey)]).toEqual([`URI:${identity}`, true]);
    expect(Math.abs(Date.parse(leaf.validTo) - Date.now() - 3_600_000)).toBeLessThan(20_000);
    expect(bench.audit()).toEqual([
      {
        level: 'info',
        message: 'certificate issued',
        fields: {
          peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
          identity,
          by: 'token',
          serial: leaf.serialNumber.toLowerCase(),
          fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
          notBefore: new Date(leaf.validFrom).toISOString(),
          notAfter: new Date(leaf.validTo).toISOString(),
        },
      },
    ]);
  });

  test('is for the account of the token, also if it names no identity', async () => {
    const { csr } = await createTestRequest({ subject: 'CN=admin' });
    const { chain } = await bench.call(root, { csr, token: await token() });
    expect(new X509Certificate(chain[0]!).subjectAltName).toBe(`URI:${identity}`);
  });

  const good = async (): Promise<RawRequest> => ({ csr: (await createTestRequest()).csr, token: await token() });
  const withCsr = async (form: Parameters<typeof createTestRequest>[0]): Promise<RawRequest> => ({
    csr: (await createTestRequest(form)).csr,
    token: await token(),
  });
  const withClaims = async (claims: object): Promise<RawRequest> => ({
    ...(await good()),
    token: await token({ claims }),
  });
  const failure = /^request authenticate failure$/;

  test.each<[string, () => Promise<RawRequest>, keyof typeof status, RegExp, RegExp]>([
    [
      'no token',
      async () => ({ csr: (await createTestRequest()).csr }),
      'UNAUTHENTICATED',
      failure,
      /neither a client certificate/,
    ],
    ['an expired token', () => withClaims({ exp: past }), 'UNAUTHENTICATED', failure, /"exp" claim/],
    ['a token for others', () => withClaims({ aud: ['vault'] }), 'UNAUTHENTICATED', failure, /audience/],
    ['a token of another issuer', () => withClaims({ iss: 'https://evil' }), 'UNAUTHENTICATED', failure, /"iss" claim/],
    [
      'a token that somebody else signed',
      async () => ({ ...(await good()), token: await stranger.mint('foo/httpbin') }),
      'UNAUTHENTICATED',
      failure,
      /signature/,
    ],
    [
      'a subject of three parts',
      () => withClaims({ sub: 'system:serviceaccount:foo' }),
      'UNAUTHENTICATED',
      failure,
      /no service account/,
    ],
    [
      'another cluster',
      async () => ({ ...(await good()), headers: { clusterid: 'east' } }),
      'UNAUTHENTICATED',
      failure,
      /unknown cluster "east"/,
    ],
    [
      'the identity of another workload',
      () => withCsr({ uris: [other] }),
      'PERMISSION_DENIED',
      /another identity/,
      /sa\/admin/,
    ],
    ['two identities', () => withCsr({ uris: [identity, other] }), 'INVALID_ARGUMENT', /2 URIs/, /2 URIs/],
    ['a DNS name', () => withCsr({ dnsNames: ['meshd.mesh-system.svc'] }), 'INVALID_ARGUMENT', /no URI/, /no URI/],
    ['a weak key', () => withCsr({ algorithm: 'RSA-1024' }), 'INVALID_ARGUMENT', /1024 bits/, /1024 bits/],
    [
      'a signature with SHA-1',
      () => withCsr({ algorithm: 'RSA', hash: 'SHA-1' }),
      'INVALID_ARGUMENT',
      /SHA-256/,
      /SHA-256/,
    ],
    [
      'a signature with a bit turned',
      async () => ({ ...(await good()), csr: flipped((await createTestRequest()).csr) }),
      'INVALID_ARGUMENT',
      /signature/,
      /signature/,
    ],
    [
      'garbage for a request',
      async () => ({ ...(await good()), csr: 'garbage' }),
      'INVALID_ARGUMENT',
      /not one PEM block/,
      /PEM/,
    ],
    [
      'garbage for a message',
      async () => ({ ...(await good()), bytes: Buffer.from('ffffffff', 'hex') }),
      'INVALID_ARGUMENT',
      /no IstioCertificateRequest/,
      /no Istio/,
    ],
    [
      'nothing for a message',
      async () => ({ ...(await good()), bytes: Buffer.alloc(0) }),
      'INVALID_ARGUMENT',
      /not one PEM block/,
      /PEM/,
    ],
    [
      'a megabyte',
      async () => ({ ...(await good()), csr: 'A'.repeat(2 ** 20) }),
      'INVALID_ARGUMENT',
      /1048576 characters/,
      /1048576/,
    ],
    [
      'ten megabytes',
      async () => ({ ...(await good()), csr: 'A'.repeat(10 * 2 ** 20) }),
      'RESOURCE_EXHAUSTED',
      /larger than max/,
      /larger than 4194304 bytes/,
    ],
    [
      'more than 90 days',
      async () => ({ ...(await good()), seconds: 7_776_001n }),
      'INVALID_ARGUMENT',
      /more than 7776000/,
      /7776001/,
    ],
    [
      '2^62 seconds',
      async () => ({ ...(await good()), seconds: 2n ** 62n }),
      'INVALID_ARGUMENT',
      /more than 7776000/,
      /4611686018427387904/,
    ],
    [
      'the identity of another node’s workload by metadata',
      async () => {
        const { csr = '', ...rest } = await good();
        const value = textField(2, textField(3, other));
        const entry = textField(1, Buffer.concat([textField(1, 'ImpersonatedIdentity'), value]));
        return { ...rest, bytes: Buffer.concat([textField(1, csr), textField(4, entry)]) };
      },
      'INVALID_ARGUMENT',
      /not supported: metadata ImpersonatedIdentity/,
      /Impersonated/,
    ],
  ])(
    'is refused with %s, with one line of the audit, and nothing is issued',
    async (_, make, expected, details, reason) => {
      const before = await bench.issued();
      const answer = await bench.call(root, await make());
      expect([status[answer.code], answer.chain]).toEqual([expected, []]);
      expect(answer.details).toMatch(details);
      expect(bench.audit()).toEqual([
        expect.objectContaining({
          message: 'certificate refused',
          fields: expect.objectContaining({ status: expected, reason: expect.stringMatching(reason) }),
        }),
      ]);
      expect(await bench.issued()).toBe(before);
    },
  );

  test('with a certificate that was issued before renews it, for the same identity', async () => {
    const first = await createTestRequest();
    const { chain } = await bench.call(root, { csr: first.csr, token: await token() });
    const client = { certificate: chain[0]!, privateKey: first.privateKey };
    const renewed = await bench.call(root, { csr: (await createTestRequest()).csr, client });
    expect(new X509Certificate(renewed.chain[0]!).subjectAltName).toBe(`URI:${identity}`);
    expect(bench.audit().at(-1)?.fields).toMatchObject({ identity, by: 'certificate' });
    const stolen = await bench.call(root, { csr: (await createTestRequest({ uris: [other] })).csr, client });
    expect(status[stolen.code]).toBe('PERMISSION_DENIED');
  });

  test('with a certificate of another CA is decided by the token', async () => {
    const foreign = await createTestAuthority({ isCa: false, usages: 1, uris: [other] });
    const { csr } = await createTestRequest();
    expect(status[(await bench.call(root, { csr, client: foreign })).code]).toBe('UNAUTHENTICATED');
    const { chain } = await bench.call(root, { csr, client: foreign, token: await token() });
    expect(new X509Certificate(chain[0]!).subjectAltName).toBe(`URI:${identity}`);
  });

  test('never logs tokens or keys', () => {
    const text = everything.join('\n');
    expect(secrets.length).toBeGreaterThan(10);
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      for (const part of secret.split('.').slice(1)) expect(text).not.toContain(part);
    }
  });
});
