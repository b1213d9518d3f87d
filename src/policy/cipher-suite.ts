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

/** True for what a listener may name; any other name makes Envoy refuse the whole of it. */
export function isCipherSuite(name: string): boolean {
  return cipherSuites.has(name);
}
