import type { JsonPath } from '../../diagnostics/span.ts';
import type { Report } from '../rule.ts';

const fields = ['serverCertificate', 'clientCertificate', 'privateKey', 'caCertificates', 'caCrl'] as const;

/**
 * Certificates are named by the paths of their files: a PEM text (RFC 7468) would be written into the configuration as
 * one, and with it the key. The place is that of the block, so that no message shows the key.
 */
export function checkCertificateFiles(
  tls: { readonly [field in (typeof fields)[number]]?: string } | undefined,
  path: JsonPath,
  report: Report,
): void {
  const field = fields.find((name) => /-----BEGIN|[\r\n]/.test(tls?.[name] ?? ''));
  if (field !== undefined) report('certificate-in-place-of-file', path, { field }, { part: 'key' });
}
