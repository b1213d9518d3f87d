import { formatDuration } from '../../lib/duration.ts';
import type { ClientValidationIR, DownstreamGatewayTls, SdsSecretIR } from '../ir/tls.ts';
import type { Placement } from './config-source.ts';
import { type Originated, placed } from './placed.ts';
import { type Present, present } from './present.ts';

/** What `secret-source` places: a secret, and whether the agent serves it or the stream to the control plane. */
export interface SecretSourceView {
  readonly name: string;
  readonly isOfAgent: boolean;
  readonly ads?: object;
  readonly fetchTimeout: string;
}

/** Envoy's CertificateValidationContext, without the authorities when they are a secret. */
type ValidationView = Present<{
  trusted_ca: { readonly filename: string } | undefined;
  match_typed_subject_alt_names: readonly object[] | undefined;
  verify_certificate_spki: readonly string[] | undefined;
  verify_certificate_hash: readonly string[] | undefined;
  crl: { readonly filename: string } | undefined;
}>;

/** What `gateway-tls` places: one of each pair is set, or neither of the validations. */
export interface GatewayTlsView {
  readonly requireClientCertificate: Originated<boolean>;
  /** No session is resumed then: Envoy holds the client's certificate for unproven on a resumed one. */
  readonly validatesClients: boolean;
  readonly alpn: readonly string[];
  readonly certificateSecret?: SecretSourceView;
  readonly certificateFiles?: { readonly chain: string; readonly key: string };
  readonly validation?: ValidationView;
  readonly combinedValidation?: { readonly default: ValidationView; readonly secret: SecretSourceView };
  /** Envoy's TlsParameters. */
  readonly parameters: object;
}

/** TLS that a gateway's server ends. */
export function gatewayTlsView(tls: DownstreamGatewayTls, placement: Placement): GatewayTlsView {
  const { certificate, validation } = tls;
  return {
    requireClientCertificate: placed(tls.requiresClientCertificate, tls.origins),
    validatesClients: validation !== undefined,
    alpn: tls.alpn,
    ...('name' in certificate
      ? { certificateSecret: secretSource(certificate, placement) }
      : { certificateFiles: { chain: certificate.chain, key: certificate.key } }),
    ...(validation === undefined ? {} : validationViews(validation, placement)),
    parameters: {
      tls_minimum_protocol_version: tls.minVersion,
      tls_maximum_protocol_version: tls.maxVersion,
      cipher_suites: tls.cipherSuites,
    },
  };
}

function validationViews(
  validation: ClientValidationIR,
  placement: Placement,
): Pick<GatewayTlsView, 'validation' | 'combinedValidation'> {
  const { trustedCa } = validation;
  if ('file' in trustedCa) return { validation: validationView(validation, trustedCa.file) };
  return {
    combinedValidation: { default: validationView(validation, undefined), secret: secretSource(trustedCa, placement) },
  };
}

function validationView(validation: ClientValidationIR, caFile: string | undefined): ValidationView {
  const { sans, spkiPins, hashPins, crl } = validation;
  const matchers = sans.map(({ type, kind, value }) => ({
    san_type: type,
    matcher: kind === 'exact' ? { exact: value } : { prefix: value },
  }));
  return present({
    trusted_ca: caFile === undefined ? undefined : { filename: caFile },
    match_typed_subject_alt_names: matchers.length === 0 ? undefined : matchers,
    verify_certificate_spki: spkiPins.length === 0 ? undefined : spkiPins,
    verify_certificate_hash: hashPins.length === 0 ? undefined : hashPins,
    crl: crl === undefined ? undefined : { filename: crl },
  });
}

function secretSource({ name, of, fetchTimeoutMs }: SdsSecretIR, { delivery }: Placement): SecretSourceView {
  const isOfAgent = of === 'workload' || delivery === 'files';
  return { name, isOfAgent, ...(isOfAgent ? {} : { ads: {} }), fetchTimeout: formatDuration(fetchTimeoutMs) };
}
