import type { JsonPath } from '../../../diagnostics/span.ts';
import type { ServerTlsSettings } from '../../policy/gateway.ts';
import type { Report } from '../rule.ts';

/** Cipher suites of TLS 1.2 and older that Envoy's BoringSSL knows (Envoy, TlsParameters). */
const cipherSuites: ReadonlySet<string> = new Set([
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-PSK-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-PSK-AES128-CBC-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'ECDHE-PSK-AES256-CBC-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'AES256-SHA',
  'PSK-AES128-CBC-SHA',
  'PSK-AES256-CBC-SHA',
]);

/** Versions and ciphers that a server cannot keep. */
export function checkTlsParameters(tls: ServerTlsSettings | undefined, path: JsonPath, report: Report): void {
  if (tls === undefined) return;
  const seen = new Set<string>();
  for (const [i, name] of (tls.cipherSuites ?? []).entries()) {
    const place = [...path, 'cipherSuites', i];
    if (!cipherSuites.has(name)) report('unknown-cipher-suite', place, { name });
    else if (seen.has(name)) report('duplicate-cipher-suite', place, { name });
    seen.add(name);
  }
  const isOld = tls.minProtocolVersion === 'TLSV1_0' || tls.minProtocolVersion === 'TLSV1_1';
  if (isOld && seen.size === 0) report('weak-tls-version', [...path, 'minProtocolVersion'], {});
}
