import { formatDuration } from '../../lib/duration.ts';
import type {
  ForwardIR,
  HashPolicyIR,
  PathRewriteIR,
  RetryPolicyIR,
  RouteActionIR,
  WeightedClusterIR,
} from '../ir/route.ts';
import { type HeaderChangesView, headerChangesView } from './header-changes-view.ts';
import { millionths } from './percent-view.ts';

/** One of `cluster` and `weightedClusters` is set, and at most one of the rewrites. */
export interface ForwardView {
  readonly cluster?: string;
  readonly weightedClusters?: readonly WeightedClusterView[];
  readonly prefixRewrite?: string;
  readonly regexRewrite?: { readonly pattern: { readonly regex: string }; readonly substitution: string };
  readonly hostRewrite?: string;
  readonly mirrors?: readonly object[];
  readonly timeout: string;
  readonly hashPolicy: readonly object[];
  readonly retry?: RetryView;
}

/** What a retry policy places; the back-off grows from its base to ten times as much. */
export interface RetryView {
  readonly attempts: number;
  readonly retryOn: string;
  readonly avoidPreviousHosts: boolean;
  readonly statuses?: readonly number[];
  readonly perTryTimeout?: string;
  readonly backOff?: { readonly base_interval: string };
  readonly triesOtherLocalities?: true;
}

/** One of several destinations. */
export interface WeightedClusterView extends HeaderChangesView {
  readonly cluster: string;
  readonly weight: number;
  readonly hostRewrite?: string;
}

type ForwardActionIR = Extract<RouteActionIR, ForwardIR>;

/** What `forward` places: Envoy's `RouteAction`. */
export function forwardView(action: ForwardActionIR): ForwardView {
  const { retry, rewrite, authority, mirrors } = action;
  return {
    ...(action.kind === 'cluster'
      ? { cluster: action.cluster }
      : { weightedClusters: action.clusters.map(weightedClusterView) }),
    ...(rewrite === undefined ? {} : rewriteView(rewrite)),
    ...(authority === undefined ? {} : { hostRewrite: authority }),
    ...(mirrors === undefined ? {} : { mirrors: mirrors.map(mirrorView) }),
    timeout: formatDuration(action.timeoutMs),
    hashPolicy: action.hashPolicies.map(hashPolicy),
    ...(retry === undefined ? {} : { retry: retryView(retry) }),
  };
}

function rewriteView(rewrite: PathRewriteIR): Pick<ForwardView, 'prefixRewrite' | 'regexRewrite'> {
  // Where the match is no prefix, Envoy's "prefix" is the whole path.
  if (rewrite.kind === 'whole') return { prefixRewrite: rewrite.path };
  return { regexRewrite: { pattern: { regex: rewrite.pattern }, substitution: rewrite.substitution } };
}

/** The copy keeps its host: rules of the destination look at it. */
function mirrorView({ cluster, percent }: { readonly cluster: string; readonly percent: number }): object {
  return {
    cluster,
    runtime_fraction: { default_value: millionths(percent) },
    trace_sampled: false,
    disable_shadow_host_suffix_append: true,
  };
}

function weightedClusterView({
  cluster,
  weight,
  authority,
  requestHeaders,
  responseHeaders,
}: WeightedClusterIR): WeightedClusterView {
  return {
    cluster,
    weight,
    ...(authority === undefined ? {} : { hostRewrite: authority }),
    ...headerChangesView(requestHeaders, responseHeaders),
  };
}

function retryView(retry: RetryPolicyIR): RetryView {
  const { statuses, perTryTimeoutMs, backoffMs, triesOtherLocalities } = retry;
  return {
    attempts: retry.attempts,
    retryOn: retry.retryOn.join(','),
    avoidPreviousHosts: retry.avoidPreviousHosts,
    ...(statuses === undefined ? {} : { statuses }),
    ...(perTryTimeoutMs === undefined ? {} : { perTryTimeout: formatDuration(perTryTimeoutMs) }),
    ...(backoffMs === undefined ? {} : { backOff: { base_interval: formatDuration(backoffMs) } }),
    ...(triesOtherLocalities === true ? { triesOtherLocalities } : {}),
  };
}

function hashPolicy(policy: HashPolicyIR): object {
  switch (policy.kind) {
    case 'header':
      return { header: { header_name: policy.name } };
    case 'cookie':
      return {
        cookie: {
          name: policy.name,
          ...(policy.ttlMs === undefined ? {} : { ttl: formatDuration(policy.ttlMs) }),
          ...(policy.path === undefined ? {} : { path: policy.path }),
        },
      };
    case 'source-ip':
      return { connection_properties: { source_ip: true } };
    case 'query-parameter':
      return { query_parameter: { name: policy.name } };
  }
}
