import type { ApiObject } from '../../kubernetes/resource-type.ts';
import type { OwnRoot } from './own-root.ts';
import { type AuthorityTexts, type CheckedAuthority, createSigner } from './signer.ts';

/** Secret with a CA that the operator provides. */
export const pluggedInSecret = 'cacerts';
/** Secret with our self-signed CA, under the name that Istio's control plane uses. */
export const selfSignedSecret = 'istio-ca-secret';

/** Keys of the Secrets' data; those of a root of our own need not all be there. */
const dataKeys = {
  certificate: 'ca-cert.pem',
  privateKey: 'ca-key.pem',
  roots: 'root-cert.pem',
  chain: 'cert-chain.pem',
} as const;

/** Checks the CA in a Secret, as one in a folder is checked. The problem names the Secret and its key, and quotes no data. */
export function readAuthoritySecret({ metadata, data }: ApiObject, nowMs: number): CheckedAuthority {
  const { name, namespace = '' } = metadata;
  const place = `the Secret ${namespace}/${name}`;
  const given = (data ?? {}) as Readonly<Record<string, string>>;
  const isOwn = name === selfSignedSecret;
  const needed = isOwn ? [dataKeys.certificate, dataKeys.privateKey] : Object.values(dataKeys);
  const missing = needed.filter((key) => typeof given[key] !== 'string');
  if (missing.length > 0) return { problem: `${place} is incomplete: ${missing.join(', ')} missing` };
  const textOf = (key: string): string => Buffer.from(given[key] ?? '', 'base64').toString('latin1');
  const certificate = textOf(dataKeys.certificate);
  const texts: AuthorityTexts = {
    certificate,
    privateKey: textOf(dataKeys.privateKey),
    // Istio's own has the key there, and nothing in it.
    roots: textOf(dataKeys.roots) || (isOwn ? certificate : ''),
    chain: textOf(dataKeys.chain),
  };
  const check = createSigner(texts, nowMs);
  return check.problem === undefined ? check : { problem: `${place}: ${check.problem}` };
}

/** The Secret for our self-signed CA; `before` are earlier certificates of its root that are still trusted, PEM. */
export function ownAuthoritySecret({ certificate, privateKey }: OwnRoot, namespace: string, before = ''): ApiObject {
  const encoded = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'istio.io/ca-root' },
    metadata: { name: selfSignedSecret, namespace },
    data: {
      [dataKeys.certificate]: encoded(certificate),
      [dataKeys.privateKey]: encoded(privateKey),
      [dataKeys.roots]: encoded(certificate + before),
    },
  };
}
