import type { Binding, BoundPolicy } from './policy-target.ts';

export type AuthorizationAction = 'ALLOW' | 'DENY' | 'AUDIT' | 'CUSTOM';

/**
 * Whether a match of a field takes access away, and not gives it: `not…` turns the sense around. AUDIT is as strict as
 * DENY: who evades it leaves no trace.
 */
export function takesAccess(action: AuthorizationAction, isNegated: boolean): boolean {
  return (action === 'ALLOW') === isNegated;
}

/** Fields of one source: all that are set must match; the values of one field are alternatives. */
export interface Source {
  readonly principals?: readonly string[];
  readonly notPrincipals?: readonly string[];
  readonly requestPrincipals?: readonly string[];
  readonly notRequestPrincipals?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly notNamespaces?: readonly string[];
  /** Addresses of the socket's peer. */
  readonly ipBlocks?: readonly string[];
  readonly notIpBlocks?: readonly string[];
  /** Addresses of the original client (X-Forwarded-For, PROXY protocol). */
  readonly remoteIpBlocks?: readonly string[];
  readonly notRemoteIpBlocks?: readonly string[];
  /** `account` in the policy's namespace, or `namespace/account`. */
  readonly serviceAccounts?: readonly string[];
  readonly notServiceAccounts?: readonly string[];
  readonly trustDomains?: readonly string[];
  readonly notTrustDomains?: readonly string[];
}

/** Fields of one operation: all that are set must match; the values of one field are alternatives. */
export interface Operation {
  readonly hosts?: readonly string[];
  readonly notHosts?: readonly string[];
  /** Container ports in decimal. */
  readonly ports?: readonly string[];
  readonly notPorts?: readonly string[];
  readonly methods?: readonly string[];
  readonly notMethods?: readonly string[];
  readonly paths?: readonly string[];
  readonly notPaths?: readonly string[];
}

export interface Condition {
  /** Attribute, such as `request.headers[x-token]`. */
  readonly key: string;
  readonly values?: readonly string[];
  readonly notValues?: readonly string[];
}

/** Matches when one source, one operation and every condition match; what is absent always does. */
export interface AuthorizationRule {
  readonly from?: readonly { readonly source: Source }[];
  readonly to?: readonly { readonly operation: Operation }[];
  readonly when?: readonly Condition[];
}

/** Who may do what (specification, AuthorizationPolicy). */
export interface AuthorizationPolicy extends BoundPolicy<'AuthorizationPolicy'> {
  readonly spec: Binding & {
    /** ALLOW when absent. */
    readonly action?: AuthorizationAction;
    readonly provider?: { readonly name: string };
    readonly rules?: readonly AuthorizationRule[];
  };
}
