import { encodeMessage } from '../../envoy/api/encode.ts';
import { authoritiesProblem, keyPairProblem } from '../../identity/check-pair.ts';
import { contentVersion, type DiscoveryResource } from '../../xds/resource.ts';
import type { Log } from '../log/log.ts';

/** What a gateway's server asks for by one SDS name. Never log it: it may hold a private key. */
export type GatewaySecretTexts =
  | { readonly kind: 'pair'; readonly certificateChain: string; readonly privateKey: string }
  | { readonly kind: 'authorities'; readonly certificates: string; readonly revocationList: string | undefined };

/**
 * The secrets of gateway servers by SDS name, without those that Envoy could not use: a server whose secret is missing
 * answers nobody, and its neighbours go on.
 */
export function gatewaySecretResources(
  secrets: ReadonlyMap<string, GatewaySecretTexts>,
  log: Log,
): readonly DiscoveryResource[] {
  return [...secrets].flatMap(([name, texts]) => {
    const problem = texts.kind === 'pair' ? keyPairProblem(texts, Date.now()) : authoritiesProblem(texts.certificates);
    if (problem === undefined) return [resource(name, texts)];
    log.error(`the secret of a gateway's server is not served: ${problem}`, { name });
    return [];
  });
}

function resource(name: string, texts: GatewaySecretTexts): DiscoveryResource {
  const type = 'envoy.extensions.transport_sockets.tls.v3.Secret';
  if (texts.kind === 'pair') {
    const { certificateChain, privateKey } = texts;
    const tls_certificate = { certificate_chain: inline(certificateChain), private_key: inline(privateKey) };
    return {
      name,
      version: contentVersion(certificateChain, privateKey),
      body: encodeMessage(type, { name, tls_certificate }),
    };
  }
  const { certificates, revocationList } = texts;
  const crl = revocationList === undefined ? {} : { crl: inline(revocationList) };
  return {
    name,
    version: contentVersion(certificates, revocationList ?? ''),
    body: encodeMessage(type, { name, validation_context: { trusted_ca: inline(certificates), ...crl } }),
  };
}

/** ProtoJSON writes bytes as base64. */
function inline(pem: string): object {
  return { inline_bytes: Buffer.from(pem, 'latin1').toString('base64') };
}
