import { X509Certificate } from 'node:crypto';
import { splitCertificates } from '../../certificates/roots.ts';

/** SHA-256 of each certificate of the PEM text, sorted. */
export function rootDigests(pem: string): readonly string[] {
  return splitCertificates(pem)
    .map((one) => new X509Certificate(one).fingerprint256)
    .sort();
}

/** Whether both lists have a common root: a mesh that changes its root has the old and the new one for a while. */
export function shareRoot(a: readonly string[], b: readonly string[]): boolean {
  return a.some((root) => b.includes(root));
}
