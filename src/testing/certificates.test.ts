import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMeshCa } from './certificates.ts';

describe('createMeshCa', () => {
  test('issues a leaf with the profile of a workload certificate', async () => {
    const ca = await createMeshCa();
    const issued = await ca.issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    const leaf = new X509Certificate(issued.certificateChain);
    const root = new X509Certificate(issued.rootCertificate);
    expect(leaf.subject ?? '').toBe('');
    expect(leaf.subjectAltName).toBe('URI:spiffe://cluster.local/ns/foo/sa/httpbin');
    expect(leaf.verify(root.publicKey) && leaf.checkIssued(root)).toBe(true);
    expect(leaf.checkPrivateKey(createPrivateKey(issued.privateKey))).toBe(true);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(Date.parse(leaf.validTo) - Date.now()).toBeGreaterThan(80_000_000);
  });

  test('issues what a test wants to be wrong', async () => {
    const ca = await createMeshCa();
    const expired = new X509Certificate((await ca.issue('spiffe://a/b', { days: -1 })).certificateChain);
    expect(Date.parse(expired.validTo)).toBeLessThan(Date.now());
    const twoNames = await ca.issue('', { uris: ['spiffe://a/b', 'spiffe://a/c'] });
    expect(new X509Certificate(twoNames.certificateChain).subjectAltName).toContain('spiffe://a/c');
  });
});
