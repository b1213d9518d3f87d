import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { labelOrLocality } from '../topology/locality.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { Answers, type CheckedRules, isSameList } from './answers.ts';
import type { ClientScope, Effective } from './effective.ts';
import { egressListeners } from './egress.ts';
import { checkEgress } from './egress-checks.ts';
import { checkGateways } from './gateway-checks.ts';
import { GatewayIndex } from './gateway-index.ts';
import { checkListeners } from './listener-checks.ts';
import { checkPaths } from './path-checks.ts';
import { checkPeers } from './peer-checks.ts';
import { PeerIndex } from './peer-index.ts';
import { byAge } from './policy-order.ts';
import { checkProxyConfigs } from './proxy-config-checks.ts';
import { ProxyConfigIndex } from './proxy-config-index.ts';
import { checkExports, checkReach } from './reach-checks.ts';
import { checkRules } from './rule-checks.ts';
import { RuleIndex } from './rule-index.ts';
import { comparedLabels, scopeWants, wantedSources } from './scope-wants.ts';
import { SelectingPolicies } from './selecting-policies.ts';
import { checkSidecars } from './sidecar-checks.ts';
import { SidecarIndex } from './sidecar-index.ts';
import { checkVirtualServices } from './virtual-service-checks.ts';
import { VirtualServiceIndex } from './virtual-service-index.ts';

export interface MergeInput extends PolicySet {
  readonly topology: Topology;
  readonly settings: Settings;
  /** Policies in force nowhere are told of this namespace and the root namespace alone; absent: of all. */
  readonly toldNamespace?: string | undefined;
}

/**
 * Precedence: which policy is in force where. Reports at once what has no effect; answers are made when they are asked
 * for. With `previous`, an answer whose inputs are the same objects is the same object as before.
 */
export function merge(input: MergeInput, bag: DiagnosticBag, previous?: Effective): Effective {
  const { peerAuthentications, topology, settings } = input;
  const before = previous instanceof Answers ? previous : undefined;
  const peers = new PeerIndex(peerAuthentications, settings.rootNamespace);
  const sidecars = new SidecarIndex(input.sidecars, settings.rootNamespace);
  checkPeers(peers, { topology, sidecars, rootNamespace: settings.rootNamespace }, bag);
  const rules = indexRules(input, before?.sources.rules);
  bag.addAll(rules.diagnostics);
  const reach = { topology, rootNamespace: settings.rootNamespace, toldNamespace: input.toldNamespace };
  const { requestAuthentications, authorizationPolicies } = input;
  const selecting = [...peerAuthentications, ...requestAuthentications, ...authorizationPolicies];
  checkReach([...selecting, ...input.proxyConfigs], reach, bag);
  checkExports([...input.destinationRules, ...input.virtualServices, ...entriesOf(topology)], reach, bag);
  checkPaths(input.authorizationPolicies, settings, bag);
  checkVirtualServices(input.virtualServices, input, bag);
  checkSidecars(sidecars, reach, bag);
  checkListeners(input.sidecars, settings, bag);
  const gateways = new GatewayIndex(input.gateways, settings);
  checkGateways(input.gateways, gateways, topology, bag);
  const routes = new VirtualServiceIndex(input.virtualServices, settings, bag);
  checkEgress(input.sidecars, { ...reach, routes, clusterDomain: settings.clusterDomain }, bag);
  const proxyConfigs = new ProxyConfigIndex(input.proxyConfigs, settings.rootNamespace);
  checkProxyConfigs(proxyConfigs, topology, settings.rootNamespace, bag);
  const namespaces = sortedBy(peers.wholeNamespaces, ([namespace]) => namespace);
  const wholePolicies = namespaces.flatMap(([, policies]) => policies);
  return new Answers(
    {
      peers,
      rules,
      topology,
      wholePolicies,
      requestAuthentications: new SelectingPolicies(input.requestAuthentications, settings.rootNamespace),
      authorizationPolicies: new SelectingPolicies(input.authorizationPolicies, settings.rootNamespace),
      gateways,
      proxyConfigs,
      virtualServices: routes,
      sidecars,
      settings,
    },
    before,
  );
}

/** The ServiceEntries, of which each host is a service. */
function entriesOf({ services }: Topology): readonly ServiceEntry[] {
  const entries = services.filter(({ kind }) => kind === 'ServiceEntry').map(({ object }) => object as ServiceEntry);
  return [...new Set(entries)];
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

const noVirtualServices: readonly VirtualService[] = [];

/** The policies that decide what a scope consists of. */
export interface ScopePolicies {
  readonly destinationRules: readonly DestinationRule[];
  readonly virtualServices?: readonly VirtualService[];
  readonly sidecars?: SidecarIndex;
}

/** What the workload's outbound configuration depends on; of its labels and locality only what some rule asks for. */
export function clientScope(
  workload: Workload,
  settings: Settings,
  { destinationRules: rules, virtualServices = noVirtualServices, sidecars }: ScopePolicies,
): ClientScope {
  const { selected, compared, isLocalityWanted } = scopeWants(rules);
  const { localityRules } = settings;
  const pairs = selected.get(workload.namespace);
  const sources = wantedSources(virtualServices);
  const labels: Record<string, string> = {};
  for (const key of Object.keys(workload.labels).sort()) {
    const value = workload.labels[key];
    const pair = `${key}=${value}`;
    if (value !== undefined && (pairs?.has(pair) || sources.has(pair))) labels[key] = value;
  }
  // The mesh's own priorities count only where a rule ejects endpoints.
  for (const key of [...compared, ...(isLocalityWanted ? comparedLabels(localityRules) : [])].sort()) {
    const value = labelOrLocality(workload.labels, workload.locality, key);
    if (value !== undefined) labels[key] = value;
  }
  const asksWhere = isLocalityWanted || localityRules.distribute !== undefined;
  const scope = {
    namespace: workload.namespace,
    role: workload.role === 'router' ? ('router' as const) : ('sidecar' as const),
    families: workload.families,
    trustDomain: settings.trustDomain,
    interceptionMode: workload.interceptionMode ?? settings.proxy.interceptionMode,
    labels,
    ...(asksWhere && workload.locality ? { locality: workload.locality } : {}),
    ...sidecarScope(workload, sidecars, settings),
  };
  return { ...scope, key: JSON.stringify(scope) };
}

/**
 * What Sidecars say of a client. Each part is that of the most specific Sidecar in force that has it: of the workload, its
 * namespace, the root namespace.
 */
function sidecarScope(
  workload: Workload,
  sidecars: SidecarIndex | undefined,
  settings: Settings,
): Pick<ClientScope, 'egress' | 'outboundTrafficPolicy'> {
  const inForce = sidecars?.inForce(workload) ?? [];
  const egress = inForce.find(({ spec }) => spec.egress !== undefined)?.spec.egress;
  const policy = inForce.find(({ spec }) => spec.outboundTrafficPolicy !== undefined)?.spec.outboundTrafficPolicy;
  const mode = policy && (policy.mode ?? 'REGISTRY_ONLY');
  return {
    ...(egress === undefined ? {} : { egress: egressListeners(egress, workload) }),
    ...(mode === undefined || mode === settings.outboundTrafficPolicy ? {} : { outboundTrafficPolicy: mode }),
  };
}
