import type { Settings } from '../../../config/settings.ts';
import { isCipherSuite } from '../../../policy/cipher-suite.ts';
import type { ServerTlsSettings, TlsVersion } from '../../../policy/gateway.ts';
import type { ClientValidationIR, DownstreamGatewayTls, SdsSecretIR, TlsVersionIR } from '../../ir/tls.ts';
import { canonicalAddress } from '../../topology/address.ts';
import { meshTrustDomains } from '../auth/downstream-tls.ts';
import { trustDomainPrefix } from '../names.ts';
import { objectOrigin } from '../origins.ts';
import type { GatewayServer } from './server.ts';

/** A secret that is not there closes its own server after this time; without an end it would close the listener. */
const secretTimeoutMs = 2_000;

/** Served by the agent: the workload's own certificate, and the roots of the mesh. */
const meshCertificate: SdsSecretIR = { name: 'default', of: 'workload', fetchTimeoutMs: 0 };
const meshRoots: SdsSecretIR = { name: 'ROOTCA', of: 'workload', fetchTimeoutMs: 0 };

const defaultCipherSuites: readonly string[] = [
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
];

/** A Secret of the gateway's namespace; with the suffix, the authorities of its clients. */
function secretOf(credentialName: string, suffix: '' | '-cacert' = ''): SdsSecretIR {
  return { name: `kubernetes://${credentialName}${suffix}`, of: 'gateway', fetchTimeoutMs: secretTimeoutMs };
}

/** TLS that a server of mode SIMPLE, MUTUAL, OPTIONAL_MUTUAL or MESH_MUTUAL ends. */
export function gatewayTls(entry: GatewayServer, carries: 'http' | 'tcp', settings: Settings): DownstreamGatewayTls {
  const tls = entry.server.tls ?? {};
  const suites = (tls.cipherSuites ?? []).filter(isCipherSuite);
  return {
    kind: 'gateway',
    alpn: carries === 'http' ? ['h2', 'http/1.1'] : [],
    certificate: certificateOf(tls),
    requiresClientCertificate: entry.tlsMode === 'MUTUAL' || entry.tlsMode === 'MESH_MUTUAL',
    validation: entry.tlsMode === 'SIMPLE' ? undefined : validationOf(tls, settings),
    minVersion: version(tls.minProtocolVersion, 'TLSv1_2'),
    maxVersion: version(tls.maxProtocolVersion, 'TLSv1_3'),
    cipherSuites: suites.length === 0 ? defaultCipherSuites : [...new Set(suites)],
    origins: { decidedBy: [objectOrigin(entry.gateway, [...entry.path, 'tls'])], overrode: [] },
  };
}

function certificateOf(tls: ServerTlsSettings): DownstreamGatewayTls['certificate'] {
  if (tls.mode === 'MESH_MUTUAL') return meshCertificate;
  if (tls.credentialName) return secretOf(tls.credentialName);
  return { chain: tls.serverCertificate ?? '', key: tls.privateKey ?? '' };
}

function validationOf(tls: ServerTlsSettings, settings: Settings): ClientValidationIR {
  return {
    trustedCa: trustedCaOf(tls),
    sans: sansOf(tls, settings),
    spkiPins: tls.verifyCertificateSpki ?? [],
    hashPins: tls.verifyCertificateHash ?? [],
    crl: tls.caCrl || undefined,
  };
}

function trustedCaOf(tls: ServerTlsSettings): ClientValidationIR['trustedCa'] {
  if (tls.mode === 'MESH_MUTUAL') return meshRoots;
  if (!tls.credentialName) return { file: tls.caCertificates ?? '' };
  return secretOf(tls.credentialName, '-cacert');
}

/** Without names of its own a server of the mesh takes whoever is of its trust domains, as a sidecar does. */
function sansOf(tls: ServerTlsSettings, settings: Settings): ClientValidationIR['sans'] {
  const names = tls.subjectAltNames ?? [];
  if (names.length === 0 && tls.mode === 'MESH_MUTUAL' && !settings.skipValidateTrustDomain) {
    return meshTrustDomains(settings).map((trustDomain) => ({
      type: 'URI',
      kind: 'prefix',
      value: trustDomainPrefix(trustDomain),
    }));
  }
  return [...new Set(names)].sort().map((value) => ({ type: sanType(value), kind: 'exact', value }));
}

function sanType(name: string): ClientValidationIR['sans'][number]['type'] {
  if (name.includes('://')) return 'URI';
  if (name.includes('@')) return 'EMAIL';
  return canonicalAddress(name) === undefined ? 'DNS' : 'IP_ADDRESS';
}

const versions: Readonly<Record<Exclude<TlsVersion, 'TLS_AUTO'>, TlsVersionIR>> = {
  TLSV1_0: 'TLSv1_0',
  TLSV1_1: 'TLSv1_1',
  TLSV1_2: 'TLSv1_2',
  TLSV1_3: 'TLSv1_3',
};

function version(wanted: TlsVersion | undefined, usual: TlsVersionIR): TlsVersionIR {
  return wanted === undefined || wanted === 'TLS_AUTO' ? usual : versions[wanted];
}
