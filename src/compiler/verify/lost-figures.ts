import { RE2JS } from 're2js';
import type { Fragment } from '../../envoy/api/fragment.ts';
import type { Lose } from './expect.ts';

/**
 * Figures that readiness, drain and "the new version is in force" are read from, one of each kind: a bootstrap that
 * keeps Envoy from counting them blinds the agent.
 */
const needed: readonly string[] = [
  'cluster_manager.cds.update_failure',
  'cluster_manager.cds.update_rejected',
  'cluster_manager.cds.update_success',
  'cluster_manager.cds.version_text',
  'cluster_manager.warming_clusters',
  'http.inbound_0.0.0.0_80.rds.inbound|80||.version_text',
  'listener.0.0.0.0_15006.downstream_cx_active',
  'listener_manager.lds.update_rejected',
  'listener_manager.lds.version_text',
  'listener_manager.total_listeners_warming',
  'listener_manager.workers_started',
  'sds.default.update_success',
  'server.live',
  'server.state',
];

/** `envoy.config.metrics.v3.StatsMatcher`, as far as it hides what the agent reads. */
export function figureLosses(bootstrap: Fragment, lose: Lose): void {
  const matcher = bootstrap.at('stats_config', 'stats_matcher');
  const hidden = needed.filter((name) => isHidden(matcher, name));
  if (hidden.length === 0) return;
  const at = ['reject_all', 'exclusion_list', 'inclusion_list'].map((field) => matcher.at(field));
  lose(at.find(({ exists }) => exists) ?? matcher, `the agent needs statistics that it hides: ${hidden.join(', ')}`);
}

function isHidden(matcher: Fragment, name: string): boolean {
  const matches = (list: Fragment): boolean => list.at('patterns').items.some((pattern) => holds(pattern, name));
  if (matcher.at('inclusion_list').exists) return !matches(matcher.at('inclusion_list'));
  if (matcher.at('exclusion_list').exists) return matches(matcher.at('exclusion_list'));
  return matcher.at('reject_all').value === true;
}

/** `envoy.type.matcher.v3.StringMatcher`; what is none of its kinds is left to the checker of the API. */
function holds(pattern: Fragment, name: string): boolean {
  const isFolded = pattern.at('ignore_case').value === true;
  const fold = (text: string): string => (isFolded ? text.toLowerCase() : text);
  const is = (kind: string, test: (text: string) => boolean): boolean => {
    const { value } = pattern.at(kind);
    return typeof value === 'string' && test(fold(value));
  };
  const subject = fold(name);
  return (
    is('exact', (text) => subject === text) ||
    is('prefix', (text) => subject.startsWith(text)) ||
    is('suffix', (text) => subject.endsWith(text)) ||
    is('contains', (text) => subject.includes(text)) ||
    matchesRegex(pattern.at('safe_regex', 'regex').value, name)
  );
}

function matchesRegex(regex: unknown, name: string): boolean {
  if (typeof regex !== 'string') return false;
  try {
    return RE2JS.matches(regex, name);
  } catch {
    // Envoy refuses it in words of its own.
    return false;
  }
}
