import type { Origins } from './origin.ts';
import type { StringMatchIR } from './string-match.ts';

/** A member of the verified token: its path below the payload, and the text it must be or, in a list, hold. */
export interface ClaimMatchIR {
  readonly kind: 'claim';
  readonly path: readonly string[];
  readonly match: StringMatchIR;
  /** True: a list that holds such a text will do, too. */
  readonly inList: boolean;
}

/** A number from `from` on and below `below`. */
export interface NumberRangeIR {
  readonly kind: 'range';
  readonly from: number;
  readonly below: number;
}

/** Something of the verified token that is no text: its path from what the filter left, `payload` or a key of headers. */
export interface TokenPartIR {
  readonly kind: 'token-part';
  readonly path: readonly string[];
  /** `present` is any value, null too. */
  readonly match: NumberRangeIR | 'present';
}

/** A value that some other filter left (`experimental.envoy.filters.…`). */
export interface MetadataMatchIR {
  readonly kind: 'metadata';
  readonly filter: string;
  readonly path: readonly string[];
  readonly match: StringMatchIR;
  readonly inList: boolean;
}

export interface HeaderMatchIR {
  readonly kind: 'header';
  /** In lower case; pseudo headers with their colon. */
  readonly name: string;
  readonly match: StringMatchIR | 'present';
}

interface Any {
  readonly kind: 'any';
}

/** Without members it matches everything, as nothing was asked. */
interface All<T> {
  readonly kind: 'all';
  readonly of: readonly T[];
}

/** Has at least one member. */
interface Some<T> {
  readonly kind: 'some';
  readonly of: readonly T[];
}

interface Not<T> {
  readonly kind: 'not';
  readonly of: T;
}

/** What is done: Envoy's `Permission`. */
export type PermissionIR =
  | Any
  | All<PermissionIR>
  | Some<PermissionIR>
  | Not<PermissionIR>
  | HeaderMatchIR
  /** The path without query and fragment, as normalized. */
  | { readonly kind: 'path'; readonly match: StringMatchIR }
  /** Envoy's URI template form (`/a/*`, `/a/**`). */
  | { readonly kind: 'path-template'; readonly template: string }
  | { readonly kind: 'destination-ip'; readonly cidr: string }
  | { readonly kind: 'destination-port'; readonly port: number }
  | { readonly kind: 'server-name'; readonly match: StringMatchIR }
  | MetadataMatchIR;

/** Who does it: Envoy's `Principal`. */
export type PrincipalIR =
  | Any
  | All<PrincipalIR>
  | Some<PrincipalIR>
  | Not<PrincipalIR>
  | HeaderMatchIR
  /** URI SAN of the verified client certificate, with its `spiffe://`; `present` is any verified certificate. */
  | { readonly kind: 'identity'; readonly match: StringMatchIR | 'present' }
  /** Peer of the socket. */
  | { readonly kind: 'direct-remote-ip'; readonly cidr: string }
  /** Original client, as far as forwarding headers are believed. */
  | { readonly kind: 'remote-ip'; readonly cidr: string }
  | ClaimMatchIR
  | TokenPartIR
  | MetadataMatchIR;

/** One rule of one AuthorizationPolicy. */
export interface RbacPolicyIR {
  /** `ns[…]-policy[…]-rule[…]`: Envoy's access log and headers name it. */
  readonly name: string;
  readonly permission: PermissionIR;
  readonly principal: PrincipalIR;
  readonly origins: Origins;
}

/** RBAC as an HTTP filter and, without predicates that only HTTP has, as a network filter. */
export interface RbacIR {
  readonly kind: 'rbac';
  readonly action: 'ALLOW' | 'DENY' | 'LOG';
  /** Sorted by name, as Envoy tries them. Undefined enforces nothing; empty under ALLOW allows nothing. */
  readonly policies: readonly RbacPolicyIR[] | undefined;
  /** Evaluated and counted only: dry runs, and what asks an external authorizer. */
  readonly shadow: { readonly policies: readonly RbacPolicyIR[]; readonly statPrefix: string } | undefined;
  readonly origins: Origins;
}
