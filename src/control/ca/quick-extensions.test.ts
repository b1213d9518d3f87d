import { generateKeyPairSync } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate, type Extension } from '@peculiar/asn1-x509';
import { beforeAll, describe, expect, test } from 'vitest';
import { emptyName, organizationName, signCertificate } from './certificate.ts';
import {
  authorityUsages,
  certificateExtensions,
  keyIdOf,
  leafUsages,
  subjectAltName,
  subjectKeyIdentifier,
} from './extensions.ts';
import { quickExtensions } from './quick-extensions.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spki = publicKey.export({ format: 'der', type: 'spki' });

function signed(extensions: readonly Extension[]): Promise<Buffer> {
  const [notBeforeMs, notAfterMs] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  const names = { issuer: organizationName('a'), subject: emptyName };
  return signCertificate({ ...names, notBeforeMs, notAfterMs, publicKey: spki, extensions }, privateKey).then(
    ({ raw }) => raw,
  );
}

/** As the library reads them; undefined where it cannot. */
function byLibrary(certificate: Buffer): readonly string[] | undefined {
  try {
    return texts(AsnConvert.parse(certificate, Certificate).tbsCertificate.extensions ?? []);
  } catch {
    return undefined;
  }
}

function texts(extensions: Iterable<Extension>): readonly string[] {
  return [...extensions].map(({ extnID, critical, extnValue }) =>
    [extnID, critical, Buffer.from(extnValue.buffer).toString('hex')].join(' '),
  );
}

describe('quickExtensions', () => {
  let leaf: Buffer;
  let authority: Buffer;
  beforeAll(async () => {
    const uri = { uri: `spiffe://cluster.local/ns/${'n'.repeat(200)}/sa/a` };
    leaf = await signed([...leafUsages(['server', 'client'], spki), subjectAltName([uri, { dns: 'a' }])]);
    authority = await signed([...authorityUsages(), subjectKeyIdentifier(keyIdOf(spki))]);
  });

  test('reads what the library reads, of a workload and of an authority', () => {
    for (const certificate of [leaf, authority]) {
      const quick = quickExtensions(certificate);
      expect(quick && texts(quick)).toEqual(byLibrary(certificate));
      expect(quick?.length).toBeGreaterThan(2);
    }
  });

  test('finds none where there are none', async () => {
    const parsed = AsnConvert.parse(leaf, Certificate);
    delete parsed.tbsCertificate.extensions;
    expect(quickExtensions(Buffer.from(AsnConvert.serialize(parsed)))).toEqual([]);
  });

  test('never reads another thing than the library, whatever byte of a certificate is another one', () => {
    let read = 0;
    for (let at = 0; at < leaf.length; at++) {
      for (const bits of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(leaf);
        changed[at] = (changed[at] ?? 0) ^ bits;
        const quick = quickExtensions(changed);
        const library = byLibrary(changed);
        // A fault elsewhere in the certificate is for OpenSSL to find, which has read it before.
        if (quick === undefined || library === undefined) continue;
        read++;
        expect(texts(quick), `byte ${at}`).toEqual(library);
      }
    }
    expect(read).toBeGreaterThan(leaf.length);
  });

  test('does not take a number that looks like other fields for them, where a length before it is wrong', () => {
    const numbered = Buffer.from(leaf);
    const [version, number] = [8, 13];
    expect(numbered.toString('hex', version, number + 2)).toBe('a003020102'.concat('0210'));
    // 16 bytes: one, and an octet string of 13.
    numbered.set([0x63, 0x04, 0x0d, ...Array(13).fill(0)], number + 2);
    expect(texts(quickExtensions(numbered) ?? [])).toEqual(byLibrary(leaf));
    numbered[version + 1] = 2;
    expect(quickExtensions(numbered)).toBeUndefined();
  });

  test.each([
    ['with bytes after it', () => Buffer.concat([leaf, Buffer.of(0)])],
    ['that is cut off', () => leaf.subarray(0, -1)],
    ['of no byte', () => Buffer.alloc(0)],
    ['whose length is told after it', () => Buffer.concat([Buffer.of(0x30, 0x80), leaf.subarray(4), Buffer.of(0, 0)])],
  ])('leaves a certificate %s to the library', (_, bytes) => {
    expect(quickExtensions(bytes())).toBeUndefined();
  });

  test('is what certificates are read with', () => {
    expect(texts(certificateExtensions(leaf))).toEqual(byLibrary(leaf));
    const indefinite = Buffer.concat([Buffer.of(0x30, 0x80), leaf.subarray(4), Buffer.of(0, 0)]);
    expect(texts(certificateExtensions(indefinite))).toEqual(byLibrary(leaf));
  });
});
