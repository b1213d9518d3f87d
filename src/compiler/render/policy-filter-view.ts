import type { HttpPolicyFilterIR, NetworkPolicyFilterIR } from '../ir/policy-filter.ts';
import { type ExtAuthzView, extAuthzView } from './ext-authz-view.ts';
import { type JwtAuthnView, jwtAuthnView } from './jwt-view.ts';
import { type RbacView, rbacView } from './rbac-view.ts';

/** One of the fields is set. */
export interface HttpPolicyFilterView extends NetworkPolicyFilterView {
  readonly jwtAuthn?: JwtAuthnView;
}

/** One of the fields is set. */
export interface NetworkPolicyFilterView {
  readonly rbac?: RbacView;
  readonly extAuthz?: ExtAuthzView;
}

/** A filter before the router. */
export function httpPolicyFilterView(filter: HttpPolicyFilterIR): HttpPolicyFilterView {
  switch (filter.kind) {
    case 'jwt-authn':
      return { jwtAuthn: jwtAuthnView(filter) };
    case 'rbac':
      return { rbac: rbacView(filter) };
    case 'ext-authz':
      return { extAuthz: extAuthzView(filter, 'http') };
  }
}

/** A filter before the TCP proxy. */
export function networkPolicyFilterView(filter: NetworkPolicyFilterIR): NetworkPolicyFilterView {
  return filter.kind === 'rbac' ? { rbac: rbacView(filter) } : { extAuthz: extAuthzView(filter, 'network') };
}
