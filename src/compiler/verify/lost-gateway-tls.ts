import type { Fragment } from '../../envoy/api/fragment.ts';
import type { ClientValidationIR, DownstreamGatewayTls, SdsSecretIR } from '../ir/tls.ts';
import { expectList, expectValue, type Lose, texts } from './expect.ts';
import { resumptionLosses } from './lost-tls.ts';

const downstreamContext = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';

/** TLS of a gateway's server: its certificate, its versions and ciphers, and what it asks of its clients. */
export function gatewayTlsLosses(socket: Fragment, tls: DownstreamGatewayTls, lose: Lose): void {
  const context = socket.at('typed_config');
  if (context.type !== downstreamContext) {
    lose(socket, 'the TLS context is missing');
    return;
  }
  expectValue(context.at('require_client_certificate'), tls.requiresClientCertificate, lose);
  const common = context.at('common_tls_context');
  certificateLosses(common, tls.certificate, lose);
  parameterLosses(common, tls, lose);
  if (tls.validation === undefined) {
    for (const field of ['validation_context', 'combined_validation_context', 'validation_context_sds_secret_config']) {
      if (common.at(field).exists) lose(common.at(field), `no rule asks for ${field}`);
    }
    return;
  }
  resumptionLosses(context, lose);
  validationLosses(common, tls.validation, lose);
}

function certificateLosses(common: Fragment, certificate: DownstreamGatewayTls['certificate'], lose: Lose): void {
  const secrets = common.at('tls_certificate_sds_secret_configs');
  if ('name' in certificate) {
    expectList(
      secrets,
      secrets.items.map((item) => String(item.at('name').value)),
      [certificate.name],
      lose,
    );
    for (const item of secrets.items) timeoutLosses(item, certificate, lose);
    return;
  }
  const [pair] = common.at('tls_certificates').items;
  const place = pair ?? common.at('tls_certificates');
  expectValue(place.at('certificate_chain', 'filename'), certificate.chain, lose);
  expectValue(place.at('private_key', 'filename'), certificate.key, lose);
}

/** A secret that is waited for without an end keeps the whole listener closed. */
function timeoutLosses(source: Fragment, { fetchTimeoutMs }: SdsSecretIR, lose: Lose): void {
  const wait = source.at('sds_config', 'initial_fetch_timeout');
  if (fetchTimeoutMs > 0 && (wait.value === undefined || wait.value === '0s')) {
    lose(wait, 'the listener waits for this secret without an end');
  }
}

function parameterLosses(common: Fragment, tls: DownstreamGatewayTls, lose: Lose): void {
  const offered = common.at('alpn_protocols');
  expectList(offered, texts(offered), tls.alpn, lose);
  const parameters = common.at('tls_params');
  expectValue(parameters.at('tls_minimum_protocol_version'), tls.minVersion, lose);
  expectValue(parameters.at('tls_maximum_protocol_version'), tls.maxVersion, lose);
  const suites = parameters.at('cipher_suites');
  expectList(suites, texts(suites), tls.cipherSuites, lose);
  if (common.at('custom_handshaker').exists) lose(common.at('custom_handshaker'), 'no rule asks for custom_handshaker');
}

const validationFields = new Set([
  'trusted_ca',
  'match_typed_subject_alt_names',
  'verify_certificate_spki',
  'verify_certificate_hash',
  'crl',
]);

function validationLosses(common: Fragment, wanted: ClientValidationIR, lose: Lose): void {
  const combined = common.at('combined_validation_context');
  const isSecret = 'name' in wanted.trustedCa;
  const validation = isSecret ? combined.at('default_validation_context') : common.at('validation_context');
  if ('name' in wanted.trustedCa) {
    const source = combined.at('validation_context_sds_secret_config');
    expectValue(source.at('name'), wanted.trustedCa.name, lose);
    timeoutLosses(source, wanted.trustedCa, lose);
  } else expectValue(validation.at('trusted_ca', 'filename'), wanted.trustedCa.file, lose);

  const names = validation.at('match_typed_subject_alt_names');
  const found = names.items.map((item) => {
    const matcher = item.at('matcher');
    const [kind = ''] = matcher.fields;
    if (matcher.fields.length !== 1) return JSON.stringify(item.value);
    return `${String(item.at('san_type').value)} ${kind} ${String(matcher.at(kind).value)}`;
  });
  expectList(
    names,
    found,
    wanted.sans.map(({ type, kind, value }) => `${type} ${kind} ${value}`),
    lose,
  );
  const keys = validation.at('verify_certificate_spki');
  expectList(keys, texts(keys), wanted.spkiPins, lose);
  const hashes = validation.at('verify_certificate_hash');
  expectList(hashes, texts(hashes), wanted.hashPins, lose);
  expectValue(validation.at('crl', 'filename'), wanted.crl, lose);
  for (const field of validation.fields) {
    if (!validationFields.has(field)) lose(validation.at(field), `no rule asks for ${field}`);
  }
}
