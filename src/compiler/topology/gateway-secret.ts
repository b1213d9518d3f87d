import type { Secret } from '../../policy/topology-kinds.ts';

/** PEM texts of a Secret as a gateway uses them; those that it does not hold are undefined. */
export interface GatewaySecret {
  readonly certificateChain: string | undefined;
  readonly privateKey: string | undefined;
  /** Authorities of client certificates. */
  readonly authorities: string | undefined;
  readonly revocationList: string | undefined;
}

/** What a server needs of a Secret. */
export const secretUses = ['pair', 'authorities'] as const;
export type SecretUse = (typeof secretUses)[number];

/** A Secret as one of its uses: `<namespace>/<name> <use>`. Whoever names a Secret for one use says nothing of another. */
export function secretUseKey({ namespace, name }: Pick<Secret, 'namespace' | 'name'>, use: SecretUse): string {
  return `${namespace}/${name} ${use}`;
}

/** The keys by which a Secret may hold a text: those of its type `kubernetes.io/tls` first, then the generic ones. */
const keys = {
  certificateChain: ['tls.crt', 'cert'],
  privateKey: ['tls.key', 'key'],
  authorities: ['ca.crt', 'cacert'],
  revocationList: ['ca.crl', 'crl'],
} as const;

/** Reads a Secret. `isAuthorities` (a name that ends in `-cacert`): the certificate itself may be the authority. */
export function gatewaySecret(secret: Secret, isAuthorities = secret.name.endsWith('-cacert')): GatewaySecret {
  const read = (names: readonly string[]): string | undefined =>
    names.map((name) => textAt(secret, name)).find((value) => value !== undefined && value !== '');
  return {
    certificateChain: read(keys.certificateChain),
    privateKey: read(keys.privateKey),
    authorities: read(isAuthorities ? ['cacert', 'ca.crt', 'tls.crt', 'cert'] : keys.authorities),
    revocationList: read(keys.revocationList),
  };
}

/** Why a Secret cannot serve, in words that do not repeat what it holds; undefined when it can. */
export function secretFault(secret: Secret, use: SecretUse): string | undefined {
  const badKey = Object.keys(secret.data ?? {}).find((key) => decodeBase64(secret.data?.[key] ?? '') === undefined);
  if (badKey !== undefined) return `"${badKey}" is no base64`;
  const { certificateChain, privateKey, authorities } = gatewaySecret(secret);
  if (use === 'pair') {
    if (certificateChain === undefined) return 'it has no "tls.crt"';
    if (privateKey === undefined) return 'it has no "tls.key"';
    if (!isPem(certificateChain, /^CERTIFICATE$/)) return '"tls.crt" is no certificate in PEM';
    if (!isPem(privateKey, /^(RSA |EC )?PRIVATE KEY$/)) return '"tls.key" is no private key in PEM without a password';
    return undefined;
  }
  if (authorities === undefined) return 'it has no "ca.crt" for the certificates of clients';
  if (!isPem(authorities, /^CERTIFICATE$/)) return '"ca.crt" is no certificate in PEM';
  const badList = keys.revocationList.find((key) => holds(secret, key) && !isRevocationList(textAt(secret, key) ?? ''));
  // Without it, certificates that were revoked would be taken.
  return badList === undefined ? undefined : `"${badList}" is no revocation list (X509 CRL) in PEM`;
}

function holds({ data, stringData }: Secret, key: string): boolean {
  return Object.hasOwn(stringData ?? {}, key) || Object.hasOwn(data ?? {}, key);
}

function textAt({ data, stringData }: Secret, key: string): string | undefined {
  if (stringData != null && Object.hasOwn(stringData, key)) return stringData[key];
  if (data == null || !Object.hasOwn(data, key)) return undefined;
  return decodeBase64(data[key] ?? '');
}

/** As bytes, one a character: PEM is ASCII. */
function decodeBase64(text: string): string | undefined {
  const compact = text.replace(/\s+/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) return undefined;
  return atob(compact);
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END \1-----/g;

/** Each block has to be a list: none is passed over. */
function isRevocationList(text: string): boolean {
  const blocks = [...text.matchAll(block)];
  const isWhole = blocks.length > 0 && blocks.length === text.split('-----BEGIN ').length - 1;
  return isWhole && blocks.every(([, label, body = '']) => label === 'X509 CRL' && decodeBase64(body));
}

/** True when some block of the wanted kind is there and holds base64 (RFC 7468); parameters of a key may stand beside it. */
function isPem(text: string, kind: RegExp): boolean {
  return [...text.matchAll(block)].some(([, label = '', body = '']) => kind.test(label) && decodeBase64(body));
}
