import type { AuthorizationPolicy } from '../../../policy/authorization-policy.ts';
import type { ExtAuthzIR } from '../../ir/ext-authz.ts';
import type { Origins } from '../../ir/origin.ts';
import type { NetworkPolicyFilterIR } from '../../ir/policy-filter.ts';
import type { RbacIR } from '../../ir/rbac.ts';
import type { StringMatchIR } from '../../ir/string-match.ts';
import { objectOrigin } from '../origins.ts';
import { isDryRun, rulesOf } from './authorization.ts';
import type { Authorizer } from './authorizers.ts';
import type { RuleContext } from './context.ts';
import { patternOf, textMatch } from './pattern.ts';

type Context = Pick<RuleContext, 'carries' | 'ports' | 'trustDomains' | 'isGateway'>;

/**
 * CUSTOM policies: for each provider that a rule concerns on the chain, shadow rules that find what concerns it, and the
 * question. Over HTTP it can be asked about requests only: connections that its rules concern are denied.
 */
export function customFilters(
  policies: readonly AuthorizationPolicy[],
  authorizers: readonly Authorizer[],
  context: Context,
): readonly NetworkPolicyFilterIR[] {
  const custom = policies.filter(({ spec }) => spec.action === 'CUSTOM');
  const tried = custom.filter(isDryRun);
  const filters = authorizers.flatMap((authorizer) => {
    const own = custom.filter((policy) => policy.spec.provider?.name === authorizer.name && !isDryRun(policy));
    return own.length === 0 ? [] : questionOf(own, authorizer, context);
  });
  if (tried.length === 0) return filters;
  const shadow = { policies: rulesOf(tried, 'CUSTOM', context), statPrefix: 'mesh_dry_run_custom_' };
  if (shadow.policies.length === 0) return filters;
  return [...filters, { ...noRules, shadow, origins: originsOf(tried) }];
}

const noRules: Pick<RbacIR, 'kind' | 'action' | 'policies'> = { kind: 'rbac', action: 'DENY', policies: undefined };

function questionOf(
  own: readonly AuthorizationPolicy[],
  authorizer: Authorizer,
  context: Context,
): readonly NetworkPolicyFilterIR[] {
  const origins = originsOf(own);
  const policyPrefix = `mesh-ext-authz-${authorizer.name}-`;
  const asksRequests = context.carries === 'tcp' && authorizer.settings.protocol === 'http';
  const policies = rulesOf(own, 'CUSTOM', context, asksRequests ? '' : policyPrefix);
  if (policies.length === 0) return [];
  if (asksRequests) return [{ ...noRules, policies, shadow: undefined, origins }];
  const statPrefix = `mesh_ext_authz_${authorizer.name}_`;
  const shadow = { policies, statPrefix };
  return [{ ...noRules, shadow, origins }, extAuthz(authorizer, statPrefix, policyPrefix, origins)];
}

function extAuthz(
  { name, settings, cluster, host }: Authorizer,
  shadowStatPrefix: string,
  policyPrefix: string,
  origins: Origins,
): ExtAuthzIR {
  const { timeoutMs, port } = settings;
  const grpc = { protocol: 'grpc', cluster, timeoutMs, authority: host } as const;
  return {
    kind: 'ext-authz',
    provider: name,
    authorizer: settings.protocol === 'grpc' ? grpc : overHttp(settings, { cluster, uri: `http://${host}:${port}` }),
    shadowStatPrefix,
    policyPrefix,
    failOpen: settings.failOpen,
    statusOnError: settings.statusOnError,
    clearRouteCache: settings.clearRouteCache,
    requestBody: settings.requestBody,
    origins,
  };
}

function overHttp(
  settings: Authorizer['settings'],
  target: { readonly cluster: string; readonly uri: string },
): ExtAuthzIR['authorizer'] {
  const added = Object.entries(settings.headersToAdd).map(([name, value]) => ({ name, value }));
  return {
    protocol: 'http',
    ...target,
    timeoutMs: settings.timeoutMs,
    pathPrefix: settings.pathPrefix,
    headersToAuthorizer: settings.headersToAuthorizer.map(headerName),
    headersToAdd: added.sort((a, b) => (a.name < b.name ? -1 : 1)),
    headersToUpstream: settings.headersToUpstream.map(headerName),
    headersToDownstreamOnAllow: settings.headersToDownstreamOnAllow.map(headerName),
    headersToDownstreamOnDeny: settings.headersToDownstreamOnDeny.map(headerName),
  };
}

/** Names of headers have no case. */
function headerName(value: string): StringMatchIR {
  const pattern = patternOf(value);
  return pattern.kind === 'any' ? textMatch(pattern) : textMatch(pattern, true);
}

function originsOf(policies: readonly AuthorizationPolicy[]): Origins {
  return { decidedBy: policies.map((policy) => objectOrigin(policy, ['spec'])), overrode: [] };
}
