import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { DestinationRule } from '../policy/destination-rule.ts';
import type { PeerAuthentication } from '../policy/peer-authentication.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { Answers, type CheckedRules, isSameList } from './answers.ts';
import type { ClientScope, Effective } from './effective.ts';
import { checkPeers } from './peer-checks.ts';
import { PeerIndex } from './peer-index.ts';
import { byAge } from './policy-order.ts';
import { checkRules } from './rule-checks.ts';
import { RuleIndex } from './rule-index.ts';

export interface MergeInput {
  readonly peerAuthentications: readonly PeerAuthentication[];
  readonly destinationRules: readonly DestinationRule[];
  readonly topology: Topology;
  readonly settings: Settings;
}

/**
 * Precedence: which policy is in force where. Reports at once what has no effect; answers are made when they are asked
 * for. With `previous`, an answer whose inputs are the same objects is the same object as before.
 */
export function merge(input: MergeInput, bag: DiagnosticBag, previous?: Effective): Effective {
  const { peerAuthentications, topology, settings } = input;
  const before = previous instanceof Answers ? previous : undefined;
  const peers = new PeerIndex(peerAuthentications, settings.rootNamespace);
  checkPeers(peers, topology, settings.rootNamespace, bag);
  const rules = indexRules(input, before?.sources.rules);
  bag.addAll(rules.diagnostics);
  const namespaces = sortedBy(peers.wholeNamespaces, ([namespace]) => namespace);
  const wholePolicies = namespaces.flatMap(([, policies]) => policies);
  return new Answers({ peers, rules, topology, wholePolicies }, before);
}

/** The same value as before while rules, topology and settings are the same. */
function indexRules(input: MergeInput, previous: CheckedRules | undefined): CheckedRules {
  const { destinationRules, topology, settings } = input;
  const rules = byAge(destinationRules);
  const inputs = [topology, settings, ...rules];
  if (previous !== undefined && isSameList(previous.inputs, inputs)) return previous;
  const bag = new DiagnosticBag();
  checkRules(rules, topology, settings, bag);
  return { inputs, index: new RuleIndex(rules, settings), diagnostics: bag.all };
}

/** What the workload's outbound configuration depends on; of its labels only those that a rule of its namespace selects. */
export function clientScope(workload: Workload, settings: Settings, rules: readonly DestinationRule[]): ClientScope {
  const wanted = wantedLabels(rules).get(workload.namespace);
  const labels: Record<string, string> = {};
  for (const key of Object.keys(workload.labels).sort()) {
    const value = workload.labels[key];
    if (value !== undefined && wanted?.has(`${key}=${value}`)) labels[key] = value;
  }
  const scope = {
    namespace: workload.namespace,
    role: workload.role === 'router' ? ('router' as const) : ('sidecar' as const),
    families: workload.families,
    trustDomain: settings.trustDomain,
    interceptionMode: workload.interceptionMode ?? settings.proxy.interceptionMode,
    labels,
  };
  return { ...scope, key: JSON.stringify(scope) };
}

const wantedByRules = new WeakMap<readonly DestinationRule[], ReadonlyMap<string, ReadonlySet<string>>>();

/** By namespace, the `key=value` pairs that selectors of its rules ask for; found once a list of rules. */
function wantedLabels(rules: readonly DestinationRule[]): ReadonlyMap<string, ReadonlySet<string>> {
  const known = wantedByRules.get(rules);
  if (known !== undefined) return known;
  const wanted = new Map<string, Set<string>>();
  for (const { namespace, spec } of rules) {
    const pairs = Object.entries(spec.workloadSelector?.matchLabels ?? {});
    if (pairs.length === 0) continue;
    const set = wanted.get(namespace) ?? new Set();
    wanted.set(namespace, set);
    for (const [key, value] of pairs) set.add(`${key}=${value}`);
  }
  wantedByRules.set(rules, wanted);
  return wanted;
}
