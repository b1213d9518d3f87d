import type { ExtAuthzIR } from './ext-authz.ts';
import type { JwtAuthnIR } from './jwt-authn.ts';
import type { RbacIR } from './rbac.ts';

/** A filter before the router, in order of execution. */
export type HttpPolicyFilterIR = JwtAuthnIR | RbacIR | ExtAuthzIR;

/** A filter before the TCP proxy: RBAC without HTTP's predicates, and gRPC authorizers. */
export type NetworkPolicyFilterIR = RbacIR | ExtAuthzIR;
