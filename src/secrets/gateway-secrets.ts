import { authoritiesProblem, keyPairProblem } from '../certificates/check-pair.ts';
import { splitCertificates } from '../certificates/roots.ts';
import { authoritiesSuffix, type GatewaySecretTexts } from '../contracts/gateway-secret-texts.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import type { PlainLog } from '../lib/log.ts';
import { contentVersion, type DiscoveryResource } from '../xds/resource.ts';

/**
 * The secrets of gateway servers. A secret that Envoy can't use is not served: its server stays closed, the others are
 * served. If a secret becomes invalid, its last valid version stays; a pair that was removed is no longer served. Authorities
 * that were removed are replaced: Envoy takes no notice where a secret goes, and would go on to verify clients by them.
 */
export class GatewaySecrets {
  readonly #log: Pick<PlainLog, 'error'>;
  #served: ReadonlyMap<string, DiscoveryResource> = new Map();
  /** The last report about each name, so that a secret that stays invalid is reported once. */
  #told: ReadonlyMap<string, string> = new Map();
  /** The server's own certificate of each pair that was served, PEM, by its name. */
  readonly #leaves = new Map<string, string>();

  constructor(log: Pick<PlainLog, 'error'>) {
    this.#log = log;
  }

  /** What is served from now on, by what is there now under each SDS name. */
  take(secrets: ReadonlyMap<string, GatewaySecretTexts>): readonly DiscoveryResource[] {
    const served = new Map<string, DiscoveryResource>();
    const told = new Map<string, string>();
    // Pairs first: their certificates stand where there are no authorities.
    const inOrder = [...secrets].sort(([, a], [, b]) => Number(a.kind !== 'pair') - Number(b.kind !== 'pair'));
    for (const [name, texts] of inOrder) {
      const problem = problemOf(texts);
      const last = this.#served.get(name);
      const resource = problem === undefined ? this.#resourceOf(name, texts) : last;
      if (resource !== undefined) served.set(name, resource);
      if (problem === undefined) continue;
      told.set(name, problem);
      if (this.#told.get(name) === problem) continue;
      const what = last === undefined ? 'is not served' : 'is not taken, the last valid one stays';
      this.#log.error(`the secret of a gateway's server ${what}: ${problem}`, { name });
    }
    for (const name of this.#leaves.keys())
      if (!secrets.has(name) && !secrets.has(`${name}${authoritiesSuffix}`)) this.#leaves.delete(name);
    this.#served = served;
    this.#told = told;
    return [...served.values()];
  }

  #resourceOf(name: string, texts: GatewaySecretTexts): DiscoveryResource | undefined {
    if (texts.kind !== 'nobody') {
      if (texts.kind === 'pair') this.#leaves.set(name, splitCertificates(texts.certificateChain)[0] ?? '');
      return gatewaySecretResource(name, texts);
    }
    // Without a pair no connection gets so far.
    const leaf = this.#leaves.get(name.slice(0, -authoritiesSuffix.length));
    return leaf === undefined ? undefined : nobodyResource(name, leaf);
  }
}

function problemOf(texts: GatewaySecretTexts): string | undefined {
  if (texts.kind === 'nobody') return undefined;
  return texts.kind === 'pair' ? keyPairProblem(texts, Date.now()) : authoritiesProblem(texts.certificates);
}

/**
 * A validation that no client passes: a leaf has issued nobody's certificate, and no certificate has this digest. Where a
 * digest is asked for, Envoy also refuses clients without a certificate.
 */
function nobodyResource(name: string, leaf: string): DiscoveryResource {
  const validation_context = { trusted_ca: inline(leaf), verify_certificate_hash: ['0'.repeat(64)] };
  return {
    name,
    version: contentVersion('nobody', leaf),
    body: encodeMessage(secretType, { name, validation_context }),
  };
}

const secretType = 'envoy.extensions.transport_sockets.tls.v3.Secret';

/** The secret as Envoy takes it. */
export function gatewaySecretResource(
  name: string,
  texts: Exclude<GatewaySecretTexts, { readonly kind: 'nobody' }>,
): DiscoveryResource {
  if (texts.kind === 'pair') {
    const { certificateChain, privateKey } = texts;
    const tls_certificate = { certificate_chain: inline(certificateChain), private_key: inline(privateKey) };
    return {
      name,
      version: contentVersion(certificateChain, privateKey),
      body: encodeMessage(secretType, { name, tls_certificate }),
    };
  }
  const { certificates, revocationList } = texts;
  const crl = revocationList === undefined ? {} : { crl: inline(revocationList) };
  return {
    name,
    version: contentVersion(certificates, revocationList ?? ''),
    body: encodeMessage(secretType, { name, validation_context: { trusted_ca: inline(certificates), ...crl } }),
  };
}

/** ProtoJSON writes bytes as base64. */
function inline(pem: string): object {
  return { inline_bytes: Buffer.from(pem, 'latin1').toString('base64') };
}
