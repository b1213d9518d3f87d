/** The caller that a credential proves; nothing of it comes from a request's body. */
export interface Caller {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly by: 'token' | 'certificate';
  /** Name of the pod that the token is bound to, for the log; the identity is that of the account. */
  readonly pod?: string;
}

/**
 * A caller, or why the authentication failed: for the log, never for the caller, and without the credential. With
 * `isOurFault` the same credential may be accepted a moment later.
 */
export type Authentication =
  | { readonly caller: Caller; readonly problem?: never }
  | { readonly problem: string; readonly isOurFault?: boolean; readonly caller?: never };

/** The identity of the specification: `spiffe://<trust domain>/ns/<namespace>/sa/<service account>`. */
export function identityOf({ namespace, serviceAccount }: Omit<Caller, 'by' | 'pod'>, trustDomain: string): string {
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
}

/** RFC 1123 labels, as Kubernetes names namespaces. */
const namespaceForm = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 1123 subdomains, as it names service accounts. */
const accountForm = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** A name that a namespace may have. */
export function isNamespace(name: string): boolean {
  return namespaceForm.test(name);
}

/** Names that cannot be taken for something else inside an identity. */
export function areNames(namespace: string, serviceAccount: string): boolean {
  return isNamespace(namespace) && serviceAccount.length <= 253 && accountForm.test(serviceAccount);
}

/** The service account that Kubernetes calls `system:serviceaccount:<namespace>:<name>`; undefined for any other user. */
export function accountOf(user: string): Pick<Caller, 'namespace' | 'serviceAccount'> | undefined {
  const [system, kind, namespace = '', serviceAccount = '', ...more] = user.split(':');
  const isAccount = system === 'system' && kind === 'serviceaccount' && more.length === 0;
  return isAccount && areNames(namespace, serviceAccount) ? { namespace, serviceAccount } : undefined;
}
