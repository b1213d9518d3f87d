import type { ClientTlsSettings } from '../../../policy/destination-rule.ts';
import type { UpstreamHttpIR } from '../../ir/cluster.ts';
import type { UpstreamExternalTls } from '../../ir/tls.ts';
import type { Service } from '../../topology/model.ts';

/**
 * TLS of modes SIMPLE and MUTUAL. A server is always verified, against the system's CA bundle when the rule names no
 * file, unless `insecureSkipVerify` says otherwise. Private tokens of the mesh are never offered.
 */
export function externalTls(tls: ClientTlsSettings, service: Service, http: UpstreamHttpIR): UpstreamExternalTls {
  const isVerified = tls.insecureSkipVerify !== true;
  const sni = filled(tls.sni);
  const serverSans = isVerified ? (tls.subjectAltNames ?? service.subjectAltNames) : [];
  const chain = filled(tls.clientCertificate);
  const key = filled(tls.privateKey);
  const isMutual = tls.mode === 'MUTUAL' && chain !== undefined && key !== undefined;
  const caFile = filled(tls.caCertificates);
  const trustedCa = caFile === undefined ? 'system' : { file: caFile };
  const autoSni = sni === undefined && http.protocol !== 'none';
  return {
    kind: 'external',
    sni,
    autoSni,
    autoSanValidation: autoSni && isVerified && serverSans.length === 0,
    alpn: http.protocol === 'http2' ? ['h2'] : [],
    serverSans: [...serverSans].sort(),
    clientCertificate: isMutual ? { chain, key } : undefined,
    trustedCa: isVerified ? trustedCa : undefined,
    crl: isVerified ? filled(tls.caCrl) : undefined,
  };
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
