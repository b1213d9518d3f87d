import type { PermissionIR, RbacIR } from '../../ir/rbac.ts';
import { canonicalOrNoAuthority } from '../authority.ts';
import { noOrigins } from '../origins.ts';

const ambiguous: readonly PermissionIR[] = [
  // Normalized once; the sidecar behind the gateway would take the next step and see another path than routes here did.
  { kind: 'path', match: { kind: 'contains', value: '/..;' } },
  { kind: 'path', match: { kind: 'contains', value: '/.;' } },
  // Routes take what stands before the last colon for the host; access rules and those behind would take another part.
  { kind: 'not', of: { kind: 'header', name: ':authority', match: canonicalOrNoAuthority } },
];

/**
 * Refuses with 403 what the gateway would read otherwise than those behind it, so that routes and servers can be relied
 * on: no request that means well has such a path or host (RFC 3986 section 6.2.2.3, RFC 9110 sections 4.2.4 and 7.2).
 */
export const ambiguousRequests: RbacIR = {
  kind: 'rbac',
  action: 'DENY',
  policies: [
    {
      // The form of names of ours, in a namespace that nobody has.
      name: 'ns[]-policy[ambiguous-request]-rule[0]',
      permission: { kind: 'some', of: ambiguous },
      principal: { kind: 'any' },
      origins: noOrigins,
    },
  ],
  shadow: undefined,
  origins: noOrigins,
};
