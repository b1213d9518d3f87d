import type { JsonPath } from '../../diagnostics/span.ts';
import { isCipherSuite } from '../../policy/cipher-suite.ts';
import type { ServerTlsSettings, TlsVersion } from '../../policy/gateway.ts';
import type { Report } from '../rule.ts';

/** Versions and ciphers that a server cannot keep. */
export function checkTlsParameters(tls: ServerTlsSettings | undefined, path: JsonPath, report: Report): void {
  if (tls === undefined) return;
  const seen = new Set<string>();
  const names = tls.cipherSuites ?? [];
  const isNoneKnown = names.length > 0 && !names.some(isCipherSuite);
  if (isNoneKnown) report('no-known-cipher-suite', [...path, 'cipherSuites'], {});
  for (const [i, name] of (tls.cipherSuites ?? []).entries()) {
    const place = [...path, 'cipherSuites', i];
    if (!isCipherSuite(name) && !isNoneKnown) report('unknown-cipher-suite', place, { name });
    if (seen.has(name)) report('duplicate-cipher-suite', place, { name });
    seen.add(name);
  }
  const { minProtocolVersion: oldest, maxProtocolVersion: newest } = tls;
  if (rank(oldest) > rank(newest, versions.length)) {
    const holes = { oldest: versions[rank(oldest)] ?? '', newest: newest ?? '' };
    report('tls-versions-reversed', [...path, 'maxProtocolVersion'], holes);
  }
  const isOld = tls.minProtocolVersion === 'TLSV1_0' || tls.minProtocolVersion === 'TLSV1_1';
  if (isOld && seen.size === 0) report('weak-tls-version', [...path, 'minProtocolVersion'], {});
}

const versions: readonly TlsVersion[] = ['TLSV1_0', 'TLSV1_1', 'TLSV1_2', 'TLSV1_3'];

/** TLS_AUTO says nothing: the oldest version is then 1.2, the newest 1.3. */
function rank(version: TlsVersion | undefined, usual = versions.indexOf('TLSV1_2')): number {
  return version === undefined || version === 'TLS_AUTO' ? usual : versions.indexOf(version);
}
