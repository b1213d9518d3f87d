/** Names of a CA's files, or of the keys of its Secret. */
export interface AuthorityNames {
  readonly certificate: string;
  readonly privateKey: string;
  readonly roots: string;
  /** The same as `certificate` where intermediates follow the certificate. */
  readonly chain: string;
}

/** Names that Istio's control plane uses too. */
export const meshNames: AuthorityNames = {
  certificate: 'ca-cert.pem',
  privateKey: 'ca-key.pem',
  roots: 'root-cert.pem',
  chain: 'cert-chain.pem',
};

/** Names of `kubernetes.io/tls` Secrets, as cert-manager fills them. */
export const tlsNames: AuthorityNames = {
  certificate: 'tls.crt',
  privateKey: 'tls.key',
  roots: 'ca.crt',
  chain: 'tls.crt',
};

/** Each name once. */
export function namesOf(names: AuthorityNames): readonly string[] {
  return [...new Set(Object.values(names))];
}

/** The names that a folder or Secret is read by: those of cert-manager if it has one of them, and none of Istio's. */
export function namesIn(present: ReadonlySet<string>): AuthorityNames {
  const has = (names: AuthorityNames): boolean => namesOf(names).some((name) => present.has(name));
  return !has(meshNames) && has(tlsNames) ? tlsNames : meshNames;
}
