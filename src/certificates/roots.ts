import { X509Certificate } from 'node:crypto';

/** PEM texts of the certificates in `pem`, each with a newline at its end; what lies between them is left out. */
export function splitCertificates(pem: string): readonly string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`);
}

/**
 * The certificates of all `bundles` as one PEM text: each once, in the order of their fingerprints, so that the same
 * roots are the same text in whatever order they came. Throws when one cannot be parsed.
 */
export function mergeRoots(...bundles: readonly string[]): string {
  const byFingerprint = new Map(
    bundles.flatMap(splitCertificates).map((pem) => {
      const certificate = new X509Certificate(pem);
      // The library's own form of the PEM: line ends and lengths of lines do not make another root.
      return [certificate.fingerprint256, certificate.toString()] as const;
    }),
  );
  return [...byFingerprint]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, pem]) => pem)
    .join('');
}

/** SHA-256 fingerprints of the certificates, sorted: what may be said of roots in a log. */
export function fingerprints(pem: string): readonly string[] {
  return splitCertificates(pem)
    .map((block) => new X509Certificate(block).fingerprint256)
    .sort();
}

/** Whether `bundle` holds a root that `known` does not. */
export function hasNewRoot(bundle: string, known: string): boolean {
  const old = new Set(fingerprints(known));
  return fingerprints(bundle).some((fingerprint) => !old.has(fingerprint));
}

/** Whether the two bundles have a root in common. */
export function shareRoot(a: string, b: string): boolean {
  const known = new Set(fingerprints(a));
  return fingerprints(b).some((fingerprint) => known.has(fingerprint));
}
