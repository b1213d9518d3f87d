import type { PermissionIR, PrincipalIR, RbacIR, RbacPolicyIR } from '../ir/rbac.ts';
import { cidrView } from './address-view.ts';
import { claimMatcher, filterMetadataMatcher, headerMatcher, stringMatcher, tokenPartMatcher } from './matcher-view.ts';
import { type Originated, placed } from './placed.ts';

/** One rule for `rbac-rules`: lists of Envoy's Permission and Principal, of which one must match. */
export interface RbacPolicyView {
  readonly name: string;
  readonly permissions: Originated<readonly object[]>;
  readonly principals: readonly object[];
}

/** What `rbac-rules` places: Envoy's RBAC. */
export interface RbacRulesView {
  readonly action: Originated<RbacIR['action']>;
  readonly policies: readonly RbacPolicyView[];
}

/** What `http-rbac` and `network-rbac` place. */
export interface RbacView {
  readonly rules?: RbacRulesView;
  readonly shadow?: { readonly rules: RbacRulesView; readonly statPrefix: string };
}

/** An access filter: rules that are enforced, rules that are tried only, or both. */
export function rbacView({ action, policies, shadow, origins }: RbacIR): RbacView {
  const rules = (of: readonly RbacPolicyIR[]): RbacRulesView => ({
    action: placed(action, origins),
    policies: of.map(policyView),
  });
  return {
    ...(policies === undefined ? {} : { rules: rules(policies) }),
    ...(shadow === undefined ? {} : { shadow: { rules: rules(shadow.policies), statPrefix: shadow.statPrefix } }),
  };
}

/** One rule alone as Envoy's `Policy`. */
export function rbacPolicyJson({ permission, principal }: Pick<RbacPolicyIR, 'permission' | 'principal'>): {
  readonly permissions: readonly object[];
  readonly principals: readonly object[];
} {
  return { permissions: [permissionView(permission)], principals: [principalView(principal)] };
}

function policyView({ name, permission, principal, origins }: RbacPolicyIR): RbacPolicyView {
  return { name, permissions: placed([permissionView(permission)], origins), principals: [principalView(principal)] };
}

function permissionView(permission: PermissionIR): object {
  switch (permission.kind) {
    case 'any':
      return { any: true };
    case 'all':
      return { and_rules: { rules: permission.of.map(permissionView) } };
    case 'some':
      return { or_rules: { rules: permission.of.map(permissionView) } };
    case 'not':
      return { not_rule: permissionView(permission.of) };
    case 'header':
      return { header: headerMatcher(permission) };
    case 'path':
      return { url_path: { path: stringMatcher(permission.match) } };
    case 'path-template':
      return { uri_template: uriTemplate(permission.template) };
    case 'destination-ip':
      return { destination_ip: cidrView(permission.cidr) };
    case 'destination-port':
      return { destination_port: permission.port };
    case 'server-name':
      return { requested_server_name: stringMatcher(permission.match) };
    case 'metadata':
      return { sourced_metadata: { metadata_matcher: filterMetadataMatcher(permission) } };
  }
}

function principalView(principal: PrincipalIR): object {
  switch (principal.kind) {
    case 'any':
      return { any: true };
    case 'all':
      return { and_ids: { ids: principal.of.map(principalView) } };
    case 'some':
      return { or_ids: { ids: principal.of.map(principalView) } };
    case 'not':
      return { not_id: principalView(principal.of) };
    case 'header':
      return { header: headerMatcher(principal) };
    case 'identity':
      return { custom: identity(principal.match) };
    case 'direct-remote-ip':
      return { direct_remote_ip: cidrView(principal.cidr) };
    case 'remote-ip':
      return { remote_ip: cidrView(principal.cidr) };
    case 'claim':
      return { sourced_metadata: { metadata_matcher: claimMatcher(principal) } };
    case 'token-part':
      return { sourced_metadata: { metadata_matcher: tokenPartMatcher(principal) } };
    case 'metadata':
      return { sourced_metadata: { metadata_matcher: filterMetadataMatcher(principal) } };
  }
}

function uriTemplate(template: string): object {
  return {
    name: 'envoy.path.match.uri_template.uri_template_matcher',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
      path_template: template,
    },
  };
}

/** Looks at URI SANs alone; `authenticated` would also look at DNS SANs and at the subject. */
function identity(match: Extract<PrincipalIR, { kind: 'identity' }>['match']): object {
  const wanted =
    match === 'present'
      ? { any_validated_client_certificate: true }
      : { san_matcher: { san_type: 'URI', matcher: stringMatcher(match) } };
  return {
    name: 'envoy.rbac.principals.mtls_authenticated',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.rbac.principals.mtls_authenticated.v3.Config',
      ...wanted,
    },
  };
}
