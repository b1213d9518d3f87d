import type { Fragment } from '../../envoy/api/fragment.ts';
import type { DownstreamMeshTls, SanMatcher, UpstreamExternalTls, UpstreamMeshTls } from '../ir/tls.ts';
import { expectList, expectValue, type Lose, texts } from './expect.ts';

const downstreamContext = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
const upstreamContext = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
const systemCaBundle = '/etc/ssl/certs/ca-certificates.crt';
const rawBuffer = 'envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer';

/** The server's side: a client certificate of the mesh's root, with an identity that the policies accept. */
export function downstreamTlsLosses(socket: Fragment, tls: DownstreamMeshTls | undefined, lose: Lose): void {
  const context = socket.at('typed_config');
  if (tls === undefined) {
    if (socket.exists && context.type !== rawBuffer) lose(socket, 'no rule asks for a TLS context');
    return;
  }
  if (context.type !== downstreamContext) {
    lose(socket, 'the TLS context is missing');
    return;
  }
  expectValue(context.at('require_client_certificate'), true, lose);
  resumptionLosses(context, lose);
  meshLosses(context.at('common_tls_context'), tls.alpn, tls.peerSans, lose);
}

/**
 * On a resumed session Envoy does not count the client's certificate as validated (its issue 42668), so that a rule
 * about an identity does not hold: ALLOW refuses by chance, DENY lets through.
 */
export function resumptionLosses(context: Fragment, lose: Lose): void {
  expectValue(context.at('disable_stateless_session_resumption'), true, lose);
  expectValue(context.at('disable_stateful_session_resumption'), true, lose);
}

/** The client's side of mesh TLS: own certificate, the server's identity. */
export function upstreamMeshLosses(socket: Fragment, tls: UpstreamMeshTls, lose: Lose): void {
  const context = upstreamTlsContext(socket, lose);
  if (context === undefined) return;
  expectValue(context.at('sni'), tls.sni, lose);
  meshLosses(context.at('common_tls_context'), tls.alpn, tls.serverSans, lose);
}

/** TLS to servers outside the mesh. */
export function upstreamExternalLosses(socket: Fragment, tls: UpstreamExternalTls, lose: Lose): void {
  const context = upstreamTlsContext(socket, lose);
  if (context === undefined) return;
  const common = context.at('common_tls_context');
  expectValue(context.at('sni'), tls.sni, lose);
  parameterLosses(common, tls.alpn, lose);
  const [certificate] = common.at('tls_certificates').items;
  const chain = certificate?.at('certificate_chain', 'filename') ?? common.at('tls_certificates');
  expectValue(chain, tls.clientCertificate?.chain, lose);
  if (certificate !== undefined)
    expectValue(certificate.at('private_key', 'filename'), tls.clientCertificate?.key, lose);
  const validation = common.at('validation_context');
  const ca = tls.trustedCa === 'system' ? systemCaBundle : tls.trustedCa?.file;
  expectValue(validation.at('trusted_ca', 'filename'), ca, lose);
  if (ca === undefined) return;
  const names = validation.at('match_typed_subject_alt_names');
  const found = names.items.map((item) => String(item.at('matcher', 'exact').value ?? JSON.stringify(item.value)));
  expectList(names, found, tls.serverSans, lose);
  expectValue(validation.at('crl', 'filename'), tls.crl, lose);
  laxityLosses(validation, ['trusted_ca', 'match_typed_subject_alt_names', 'crl'], lose);
}

/** True for no transport socket and for the plaintext one. */
export function isPlaintext(socket: Fragment): boolean {
  return !socket.exists || socket.at('typed_config').type === rawBuffer;
}

function upstreamTlsContext(socket: Fragment, lose: Lose): Fragment | undefined {
  const context = socket.at('typed_config');
  if (context.type === upstreamContext) return context;
  lose(socket, 'the TLS context is missing');
  return undefined;
}

function meshLosses(common: Fragment, alpn: readonly string[], sans: readonly SanMatcher[], lose: Lose): void {
  parameterLosses(common, alpn, lose);
  const certificates = common.at('tls_certificate_sds_secret_configs');
  const names = certificates.items.map((item) => String(item.at('name').value));
  expectList(certificates, names, ['default'], lose);
  const combined = common.at('combined_validation_context');
  expectValue(combined.at('validation_context_sds_secret_config', 'name'), 'ROOTCA', lose);
  const validation = combined.at('default_validation_context');
  const matchers = validation.at('match_typed_subject_alt_names');
  const found = matchers.items.map((item) => {
    const matcher = item.at('matcher');
    const [kind = ''] = matcher.fields;
    const isPlain = item.at('san_type').value === 'URI' && matcher.fields.length === 1;
    return isPlain ? `${kind} ${String(matcher.at(kind).value)}` : JSON.stringify(item.value);
  });
  expectList(
    matchers,
    found,
    sans.map(({ kind, value }) => `${kind} ${value}`),
    lose,
  );
  laxityLosses(validation, ['match_typed_subject_alt_names'], lose);
}

/** Whatever else a validation context says makes it accept more, or other, certificates than the rule does. */
function laxityLosses(validation: Fragment, expected: readonly string[], lose: Lose): void {
  for (const field of validation.fields) {
    if (!expected.includes(field)) lose(validation.at(field), `no rule asks for ${field}`);
  }
}

function parameterLosses(common: Fragment, alpn: readonly string[], lose: Lose): void {
  const offered = common.at('alpn_protocols');
  expectList(offered, texts(offered), alpn, lose);
  const minimum = common.at('tls_params', 'tls_minimum_protocol_version');
  if (minimum.value !== 'TLSv1_2' && minimum.value !== 'TLSv1_3') lose(minimum, 'TLS below 1.2 is possible');
  if (common.at('custom_handshaker').exists) lose(common.at('custom_handshaker'), 'no rule asks for custom_handshaker');
}
