import type { ApiObject } from '../../kubernetes/resource-type.ts';
import { meshNames, namesIn, namesOf } from './authority-names.ts';
import type { OwnRoot } from './own-root.ts';
import { type AuthorityTexts, type CheckedAuthority, createSigner } from './signer.ts';

/** Secret with a CA that the operator provides. */
export const pluggedInSecret = 'cacerts';
/** Secret with our self-signed CA, under the name that Istio's control plane uses. */
export const selfSignedSecret = 'istio-ca-secret';

/** Checks the CA in a Secret, as one in a folder is checked. The problem names the Secret and its key, and quotes no data. */
export function readAuthoritySecret({ metadata, data }: ApiObject, nowMs: number): CheckedAuthority {
  const { name, namespace = '' } = metadata;
  const place = `the Secret ${namespace}/${name}`;
  const given = (data ?? {}) as Readonly<Record<string, string>>;
  const isOwn = name === selfSignedSecret;
  const names = isOwn ? meshNames : namesIn(new Set(Object.keys(given)));
  // Those of a root of our own need not all be there.
  const needed = isOwn ? [names.certificate, names.privateKey] : namesOf(names);
  const missing = needed.filter((key) => typeof given[key] !== 'string');
  if (missing.length > 0) return { problem: `${place} is incomplete: ${missing.join(', ')} missing` };
  const textOf = (key: string): string => Buffer.from(given[key] ?? '', 'base64').toString('latin1');
  const certificate = textOf(names.certificate);
  const texts: AuthorityTexts = {
    certificate,
    privateKey: textOf(names.privateKey),
    // Istio's own has the key there, and nothing in it.
    roots: textOf(names.roots) || (isOwn ? certificate : ''),
    chain: textOf(names.chain),
  };
  const check = createSigner(texts, nowMs, names);
  return check.problem === undefined ? check : { problem: `${place}: ${check.problem}` };
}

/** The Secret for our self-signed CA; `before` are earlier certificates of its root that are still trusted, PEM. */
export function ownAuthoritySecret({ certificate, privateKey }: OwnRoot, namespace: string, before = ''): ApiObject {
  const encoded = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'istio.io/ca-root' },
    metadata: { name: selfSignedSecret, namespace },
    data: {
      [meshNames.certificate]: encoded(certificate),
      [meshNames.privateKey]: encoded(privateKey),
      [meshNames.roots]: encoded(certificate + before),
    },
  };
}
