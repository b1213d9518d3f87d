import type { MeshCa } from '../../src/testing/certificates.ts';
import type { ClusterObject } from './pod-manifest.ts';

/** Certificate of a service account in the namespace of the manifests: files as PROV_CERT wants them. */
export async function identityFiles(ca: MeshCa, account: string): Promise<Readonly<Record<string, string>>> {
  const issued = await ca.issue(`spiffe://cluster.local/ns/shop/sa/${account}`);
  return {
    'cert-chain.pem': issued.certificateChain,
    'key.pem': issued.privateKey,
    'root-cert.pem': issued.rootCertificate,
  };
}

/** The Secret that the pods of `deploy` mount. Its values are plain text. */
export async function identitySecret(ca: MeshCa): Promise<ClusterObject> {
  const metadata = { name: 'web-identity', namespace: 'shop' };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: await identityFiles(ca, 'web') };
}
