import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { splitCertificates } from './roots.ts';

/** A server's certificate and key, PEM. */
export interface KeyPairTexts {
  /** Leaf first. */
  readonly certificateChain: string;
  readonly privateKey: string;
}

/**
 * Why Envoy could not serve with this pair at `nowMs`; undefined when it can. Names of any kind are good: a gateway's
 * certificate is for the world, not a SPIFFE identity. The sentence never quotes the texts.
 */
export function keyPairProblem({ certificateChain, privateKey }: KeyPairTexts, nowMs: number): string | undefined {
  const chain = parseCertificates(certificateChain);
  if (typeof chain === 'string') return chain;
  const [leaf] = chain;
  if (leaf === undefined) return 'it holds no certificate';
  const length = chainLength(chain);
  if (length > longestChain) {
    return `its certificate chain has ${length} bytes, more than the ${longestChain} that peers take in a handshake`;
  }
  // Node reads a plain key under this label too; Envoy asks for a password.
  if (/-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(privateKey)) return 'its private key has a password';
  let key: KeyObject;
  try {
    key = createPrivateKey(privateKey);
  } catch {
    // The cause is dropped on purpose: nothing of a key may reach a log.
    return 'its private key cannot be read';
  }
  if (!leaf.checkPrivateKey(key)) return 'its private key is not that of its first certificate';
  return nowMs > Date.parse(leaf.validTo) ? `its certificate expired at ${leaf.validTo}` : undefined;
}

/** The longest certificate message that OpenSSL and BoringSSL take (`SSL_CTX_set_max_cert_list`). */
const longestChain = 102_400;

/** Bytes of the certificate message (RFC 8446 section 4.4.2), without extensions. */
function chainLength(chain: readonly X509Certificate[]): number {
  return chain.reduce((sum, { raw }) => sum + raw.length + 5, 4);
}

/** As {@link keyPairProblem}, for authorities of client certificates. */
export function authoritiesProblem(pem: string): string | undefined {
  const certificates = parseCertificates(pem);
  if (typeof certificates === 'string') return certificates;
  return certificates.length === 0 ? 'it holds no certificate' : undefined;
}

function parseCertificates(pem: string): readonly X509Certificate[] | string {
  const parsed: X509Certificate[] = [];
  for (const [i, block] of splitCertificates(pem).entries()) {
    try {
      parsed.push(new X509Certificate(block));
    } catch {
      return `its certificate ${i + 1} cannot be parsed`;
    }
  }
  return parsed;
}
