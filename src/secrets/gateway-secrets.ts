import { authoritiesProblem, keyPairProblem } from '../certificates/check-pair.ts';
import type { GatewaySecretTexts } from '../contracts/gateway-secret-texts.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import type { PlainLog } from '../lib/log.ts';
import { contentVersion, type DiscoveryResource } from '../xds/resource.ts';

/**
 * The secrets of gateway servers. A secret that Envoy can't use is not served: its server stays closed, the others are
 * served. If a secret becomes invalid, its last valid version stays; a secret that was removed is no longer served.
 */
export class GatewaySecrets {
  readonly #log: Pick<PlainLog, 'error'>;
  #served: ReadonlyMap<string, DiscoveryResource> = new Map();
  /** The last report about each name, so that a secret that stays invalid is reported once. */
  #told: ReadonlyMap<string, string> = new Map();

  constructor(log: Pick<PlainLog, 'error'>) {
    this.#log = log;
  }

  /** What is served from now on, by what is there now under each SDS name. */
  take(secrets: ReadonlyMap<string, GatewaySecretTexts>): readonly DiscoveryResource[] {
    const served = new Map<string, DiscoveryResource>();
    const told = new Map<string, string>();
    for (const [name, texts] of secrets) {
      const problem =
        texts.kind === 'pair' ? keyPairProblem(texts, Date.now()) : authoritiesProblem(texts.certificates);
      const last = this.#served.get(name);
      const resource = problem === undefined ? gatewaySecretResource(name, texts) : last;
      if (resource !== undefined) served.set(name, resource);
      if (problem === undefined) continue;
      told.set(name, problem);
      if (this.#told.get(name) === problem) continue;
      const what = last === undefined ? 'is not served' : 'is not taken, the last good one stays';
      this.#log.error(`the secret of a gateway's server ${what}: ${problem}`, { name });
    }
    this.#served = served;
    this.#told = told;
    return [...served.values()];
  }
}

/** The secret as Envoy takes it. */
export function gatewaySecretResource(name: string, texts: GatewaySecretTexts): DiscoveryResource {
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
