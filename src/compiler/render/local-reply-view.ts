import type { HttpPolicyFilterIR } from '../ir/policy-filter.ts';

/** An answer of Envoy's own that is changed. One of the fields is set. */
export interface LocalReplyView {
  /** An external authorizer chose a status below 200. */
  readonly informational?: true;
  /** A token is refused: when, as an expression of Envoy's (CEL). */
  readonly invalidToken?: { readonly when: string };
}

/** The first whose condition holds counts. */
export function localReplyViews(filters: readonly HttpPolicyFilterIR[]): readonly LocalReplyView[] {
  const asksAuthorizer = filters.some(({ kind }) => kind === 'ext-authz');
  const rules = filters.flatMap((filter) => (filter.kind === 'jwt-authn' ? [filter.invalidTokenRule] : []));
  return [
    ...(asksAuthorizer ? [{ informational: true as const }] : []),
    ...rules.map((rule) => ({ invalidToken: { when: `response.code_details == '${detailsOf(rule)}'` } })),
  ];
}

/** What Envoy notes of a request that this rule refused. */
function detailsOf(rule: string): string {
  return `rbac_access_denied_matched_policy[${rule}]`;
}
