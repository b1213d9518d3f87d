import { Fragment } from '../../envoy/api/fragment.ts';
import type { Resource } from '../render/resource.ts';
import type { Findings } from './finding.ts';

const connectionManager = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const networkRbac = 'envoy.extensions.filters.network.rbac.v3.RBAC';
const router = 'envoy.extensions.filters.http.router.v3.Router';

/** What `envoy --mode validate` lets pass inside filter chains and should not. */
export function checkFilters(resource: Resource, findings: Findings): void {
  for (const listener of listenersOf(resource)) {
    for (const chain of [...listener.at('filter_chains').items, listener.at('default_filter_chain')]) {
      for (const filter of chain.at('filters').items) {
        const config = filter.at('typed_config');
        if (config.type === connectionManager) checkRouter(config, findings);
        if (config.type === networkRbac) checkNetworkRbac(config, findings);
      }
    }
  }
}

/** The listener itself, or the static listeners of a bootstrap. */
export function listenersOf({ type, json }: Resource): readonly Fragment[] {
  if (type === 'listener') return [new Fragment(json)];
  return type === 'bootstrap' ? new Fragment(json).at('static_resources', 'listeners').items : [];
}

/** Without a router at the end every request hangs, or later filters never run. */
function checkRouter(config: Fragment, findings: Findings): void {
  const filters = config.at('http_filters');
  const routers = filters.items.filter((filter) => filter.at('typed_config').type === router);
  const isLast = filters.last.at('typed_config').type === router;
  if (!isLast || routers.length !== 1) {
    const path = findings.pathText(filters.path);
    findings.report('output-router-not-last', filters.path, { resource: findings.label, path });
  }
}

/** Envoy takes these in a network filter without a word, and they never match. */
const httpOnly = new Set(['url_path', 'uri_template', 'header']);

function checkNetworkRbac(config: Fragment, findings: Findings): void {
  const visit = (fragment: Fragment): void => {
    for (const item of fragment.items) visit(item);
    for (const field of fragment.fields) {
      const child = fragment.at(field);
      if (httpOnly.has(field) || isTokenMetadata(field, child)) {
        const holes = { resource: findings.label, matcher: field, path: findings.pathText(child.path) };
        findings.report('output-http-matcher-on-tcp', child.path, holes);
      } else visit(child);
    }
  };
  visit(config.at('rules'));
  visit(config.at('shadow_rules'));
}

/** Metadata that only an HTTP filter writes. */
function isTokenMetadata(field: string, child: Fragment): boolean {
  if (field !== 'metadata' && field !== 'sourced_metadata') return false;
  const matcher = field === 'metadata' ? child : child.at('metadata_matcher');
  return String(matcher.at('filter').value).startsWith('envoy.filters.http.');
}
