import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../testing/effort.ts';
import { type AuthorityForm, createTestAuthority, type TestAuthority } from '../testing/authorities.ts';
import { openssl } from '../testing/openssl.ts';
import { createTestRequest } from '../testing/signing-requests.ts';
import { CertificateAuthority, type IssuedLeaf } from './authority.ts';
import { parseRequest } from './request.ts';
import { createSigner } from './signer.ts';

const identity = 'spiffe://cluster.local/ns/foo/sa/httpbin';
const day = 86_400_000;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authority-'));
});
afterAll(() => rm(folder, { recursive: true }));

function authorityOf(signing: TestAuthority, above: readonly TestAuthority[], clock = Date.now): CertificateAuthority {
  const { signer, problem } = createSigner(
    {
      certificate: signing.certificate,
      privateKey: signing.privateKey,
      chain: above.map(({ certificate }) => certificate).join(''),
      roots: above.at(-1)?.certificate ?? signing.certificate,
    },
    Date.now(),
  );
  if (signer === undefined) throw new Error(problem);
  return new CertificateAuthority(signer, clock);
}

async function issue(authority: CertificateAuthority, csr?: string, lifetimeMs = day): Promise<IssuedLeaf> {
  const { request, problem } = parseRequest(csr ?? (await createTestRequest()).csr);
  if (request === undefined) throw new Error(problem);
  return authority.issue({
    publicKey: request.publicKey,
    keyId: request.keyId,
    names: [{ uri: identity }],
    lifetimeMs,
    usages: ['server', 'client'],
  });
}

/** As strict as openssl can be, for one purpose. */
async function verify({ chain }: IssuedLeaf, purpose: string): Promise<string> {
  const [leaf = '', ...above] = chain;
  const files = { leaf, roots: above.at(-1) ?? '', between: above.slice(0, -1).join('') };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const between = files.between === '' ? [] : ['-untrusted', join(folder, 'between')];
  const flags = ['-x509_strict', '-check_ss_sig', '-purpose', purpose, '-CAfile', join(folder, 'roots')];
  return openssl(['verify', ...flags, ...between, join(folder, 'leaf')]).output;
}

const forms: readonly (readonly [string, AuthorityForm['algorithm'], RegExp])[] = [
  ['ECDSA on P-256', 'P-256', /ecdsa-with-SHA256/],
  ['ECDSA on P-384', 'P-384', /ecdsa-with-SHA384/],
  ['RSA', 'RSA', /sha256WithRSAEncryption/],
];

describe.each(forms)('an authority with %s', (_, algorithm, signature) => {
  const make = async (): Promise<CertificateAuthority> => {
    const root = await createTestAuthority({ name: 'root', algorithm });
    return authorityOf(await createTestAuthority({ name: 'between', parent: root, algorithm }), [root]);
  };

  test.each(['P-256', 'P-384', 'RSA'] as const)(
    'signs a leaf for a key %s that openssl verifies strictly',
    async (key) => {
      const leaf = await issue(await make(), (await createTestRequest({ algorithm: key })).csr);
      expect(await verify(leaf, 'sslserver')).toMatch(/leaf: OK\n$/);
      expect(await verify(leaf, 'sslclient')).toMatch(/leaf: OK\n$/);
    },
  );

  test('signs what the profile says, as openssl reads it', async () => {
    const leaf = await issue(await make());
    const { output } = openssl(['x509', '-noout', '-text'], leaf.chain[0]);
    expect(output).toMatch(/Version: 3/);
    expect(output).toMatch(/Subject: *\n/);
    expect(output).toMatch(/Issuer: O = mesh test, CN = between\n/);
    expect(output.match(/X509v3 [^\n]*/g)?.map((line) => line.trim())).toEqual([
      'X509v3 extensions:',
      'X509v3 Key Usage: critical',
      'X509v3 Extended Key Usage:',
      'X509v3 Basic Constraints: critical',
      'X509v3 Subject Alternative Name: critical',
      'X509v3 Subject Key Identifier:',
      'X509v3 Authority Key Identifier:',
    ]);
    for (const line of [
      'Digital Signature\n',
      'TLS Web Server Authentication, TLS Web Client Authentication\n',
      'CA:FALSE\n',
      `URI:${identity}\n`,
    ]) {
      expect(output).toContain(`                ${line}`);
    }
    expect(output).toMatch(signature);
    expect(leaf.serialNumber).toMatch(/^[4-7][0-9a-f]{31}$/);
  });
});

describe('CertificateAuthority', () => {
  test('uses only the key of a request, whatever extensions it asks for', async () => {
    const authority = authorityOf(await createTestAuthority(), []);
    const ids = ['2.5.29.15', '2.5.29.19', '2.5.29.30', '2.5.29.36', '2.5.29.37', '1.3.6.1.5.5.7.1.1', '1.2.3.4.5'];
    const ca = Buffer.from('30030101ff', 'hex');
    const asked = fc.tuple(
      fc.constantFrom(...ids),
      fc.boolean(),
      fc.oneof(fc.constant(ca), fc.uint8Array({ maxLength: 60 })),
    );
    const plain = openssl(
      ['x509', '-noout', '-ext', 'keyUsage,extendedKeyUsage,basicConstraints,subjectAltName'],
      (await issue(authority)).chain[0],
    ).output;
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 6 }), async (extensions) => {
        const { csr } = await createTestRequest({ subject: 'CN=admin', uris: [identity], extensions });
        const { chain } = await issue(authority, csr);
        const leaf = new X509Certificate(chain[0]!);
        expect([leaf.ca, leaf.subject ?? '', leaf.subjectAltName]).toEqual([false, '', `URI:${identity}`]);
        const names = 'keyUsage,extendedKeyUsage,basicConstraints,subjectAltName';
        expect(openssl(['x509', '-noout', '-ext', names], chain[0]).output).toBe(plain);
        const { output } = openssl(['x509', '-noout', '-text'], chain[0]);
        expect(output.match(/X509v3 |Authority Information|1\.2\.3\.4\.5/g)).toHaveLength(7);
      }),
      runs(30),
    );
  });

  test('is valid from two minutes ago, and never longer than its issuer', async () => {
    const root = await createTestAuthority({ name: 'root', days: 100 });
    const short = authorityOf(await createTestAuthority({ name: 'short', parent: root, days: 2 }), [root]);
    const startedAt = Date.now();
    const plain = await issue(short, undefined, day);
    expect(plain.notBeforeMs).toBeGreaterThan(startedAt - 121_001);
    expect(plain.notBeforeMs).toBeLessThanOrEqual(Date.now() - 120_000);
    expect(Math.abs(plain.notAfterMs - startedAt - day)).toBeLessThan(5_000);
    const long = await issue(short, undefined, 90 * day);
    expect(long.notAfterMs).toBe(short.signer.notAfterMs);
    expect(Date.parse(new X509Certificate(long.chain[0]!).validTo)).toBe(long.notAfterMs);
  });

  test('refuses to sign outside the validity of its own certificate', async () => {
    let nowMs = Date.now();
    const authority = authorityOf(await createTestAuthority({ days: 1 }), [], () => nowMs);
    await issue(authority);
    nowMs += 20 * 3_600_000;
    const { notAfterMs } = await issue(authority);
    expect(notAfterMs).toBe(authority.signer.notAfterMs);
    nowMs += 20 * 3_600_000;
    await expect(issue(authority)).rejects.toThrow('the certificate of the authority has expired');
    nowMs -= 30 * day;
    await expect(issue(authority)).rejects.toThrow('not valid yet');
  });

  test('copies the name of its certificate byte for byte, as strict verifiers compare it', async () => {
    const [key, config] = [join(folder, 'odd.key'), join(folder, 'odd.conf')];
    openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', key]);
    await writeFile(
      config,
      '[req]\ndistinguished_name=dn\nx509_extensions=x\nprompt=no\nstring_mask=pkix\nutf8=yes\n[dn]\nO=Größe, Ltd+X\nCN=a  B\n[x]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\nsubjectKeyIdentifier=none\n',
    );
    const { output: certificate } = openssl(['req', '-x509', '-new', '-key', key, '-config', config, '-days', '9']);
    const privateKey = createPrivateKey(openssl(['pkey', '-in', key]).output).export({ format: 'pem', type: 'pkcs8' });
    const { signer, problem } = createSigner(
      { certificate, privateKey: String(privateKey), chain: '', roots: certificate },
      Date.now(),
    );
    expect(problem).toBeUndefined();
    const leaf = new X509Certificate((await issue(new CertificateAuthority(signer!, Date.now))).chain[0]!);
    expect(leaf.raw.includes(signer!.subject)).toBe(true);
    expect(leaf.checkIssued(new X509Certificate(certificate))).toBe(true);
  });

  test('certifies the key of the request', async () => {
    const { csr, privateKey } = await createTestRequest({ algorithm: 'RSA' });
    const { chain } = await issue(authorityOf(await createTestAuthority(), []), csr);
    expect(new X509Certificate(chain[0]!).checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
    expect(createPublicKey(chain[0]!).asymmetricKeyType).toBe('rsa');
  });

  test('gives every certificate a serial number of its own', async () => {
    const authority = authorityOf(await createTestAuthority(), []);
    const { csr } = await createTestRequest();
    const serials = await Promise.all(
      Array.from({ length: 200 }, async () => (await issue(authority, csr)).serialNumber),
    );
    expect(new Set(serials).size).toBe(200);
  });

  test('adopts another signer if one trust bundle contains the other, and otherwise keeps the old one', async () => {
    const [old, fresh] = [await createTestAuthority({ name: 'old' }), await createTestAuthority({ name: 'new' })];
    const authority = authorityOf(old, []);
    const withRoots = (signing: TestAuthority, ...roots: readonly TestAuthority[]) =>
      createSigner(
        {
          certificate: signing.certificate,
          privateKey: signing.privateKey,
          chain: '',
          roots: roots.map((it) => it.certificate).join(''),
        },
        Date.now(),
      ).signer!;
    let changes = 0;
    authority.onChange(() => changes++);
    expect(authority.adopt(withRoots(fresh, fresh))).toMatch(/neither hold those in force .* nor are among them/);
    expect(authority.adopt(withRoots(old, old, fresh))).toBeUndefined();
    expect(authority.adopt(withRoots(fresh, old, fresh))).toBeUndefined();
    expect(authority.adopt(withRoots(fresh, old, fresh))).toBeUndefined();
    expect(authority.adopt(withRoots(fresh, fresh))).toBeUndefined();
    expect(changes).toBe(3);
    expect((await issue(authority)).chain.at(-1)).toBe(fresh.certificate);
  });

  test('adopts a renewed certificate above its own', async () => {
    const root = await createTestAuthority({ name: 'root' });
    const upper = await createTestAuthority({ name: 'upper', parent: root, days: 1 });
    const lower = await createTestAuthority({ name: 'lower', parent: upper });
    const renewed = await createTestAuthority({ name: 'upper', parent: root, days: 50, keys: upper.keys });
    const authority = authorityOf(lower, [upper, root]);
    expect(authority.adopt(authorityOf(lower, [renewed, root]).signer)).toBeUndefined();
    const leaf = await issue(authority, undefined, 9 * day);
    expect(leaf.chain.slice(1)).toEqual([lower.certificate, renewed.certificate, root.certificate]);
    expect(leaf.notAfterMs - Date.now()).toBeGreaterThan(8 * day);
  });
});
