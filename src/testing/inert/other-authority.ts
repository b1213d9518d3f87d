import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { X509CertificateGenerator, X509CrlGenerator } from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** `root.pem` of an authority that has signed nothing else, and its `crl.pem`, which revokes nothing. */
export async function writeOtherAuthority(folder: string): Promise<void> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const name = 'CN=other authority';
  const root = await X509CertificateGenerator.createSelfSigned({ name, keys, signingAlgorithm: algorithm });
  const thisUpdate = new Date(Date.now() - 3_600_000);
  const nextUpdate = new Date(Date.now() + 86_400_000);
  const list = await X509CrlGenerator.create({
    issuer: name,
    thisUpdate,
    nextUpdate,
    signingAlgorithm: algorithm,
    signingKey: keys.privateKey,
  });
  await writeFile(join(folder, 'root.pem'), root.toString('pem'));
  await writeFile(join(folder, 'crl.pem'), list.toString('pem'));
}
