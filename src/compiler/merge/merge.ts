import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { sortedBy } from '../../lib/sort.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { labelOrLocality } from '../topology/locality.ts';
import type { Topology, Workload } from '../topology/model.ts';
import { Answers } from './answers.ts';
import type { ClientScope, Effective } from './effective.ts';
import { egressListeners } from './egress.ts';
import { checkEgress } from './egress-checks.ts';
import { checkEndpointPorts } from './endpoint-port-checks.ts';
import { checkGateways } from './gateway-checks.ts';
import { GatewayIndex } from './gateway-index.ts';
import { checkListeners } from './listener-checks.ts';
import { type MissingDestination, reportMissing } from './missing-destinations.ts';
import { NamespacePolicies } from './namespace-policies.ts';
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
import { Stages } from './stages.ts';
import { checkSharedTargets } from './target-checks.ts';
import { checkVirtualServices } from './virtual-service-checks.ts';
import { VirtualServiceIndex } from './virtual-service-index.ts';

export interface MergeInput extends PolicySet {
  readonly topology: Topology;
  readonly settings: Settings;
  /** Policies that apply to no workload are told of this namespace and the root namespace alone; absent: of all. */
  readonly toldNamespace?: string | undefined;
  /** Objects of the last valid inputs, where destinations of routes may come later; absent: each has to be there. */
  readonly lastValid?: readonly MeshObject<string>[] | undefined;
}

/**
 * Precedence: which policy is in force where. Reports at once what has no effect; answers are made when they are asked
 * for. With `previous`, an answer whose inputs are the same objects is the same object as before.
 */
export function merge(input: MergeInput, bag: DiagnosticBag, previous?: Effective): Effective {
  const before = previous instanceof Answers ? previous : undefined;
  const stages = before?.stages ?? new Stages();
  const { settings, topology } = input;
  const { rootNamespace } = settings;
  const indexes = indexed(stages, input, bag);
  const { peers, rules, gateways, proxyConfigs, virtualServices, sidecars } = indexes;
  const { requestAuthentications } = input;
  check(stages, input, indexes, bag);
  const namespaces = sortedBy(peers.wholeNamespaces, ([namespace]) => namespace);
  const wholePolicies = namespaces.flatMap(([, policies]) => policies);
  return new Answers(
    {
      ...{ peers, rules, topology, wholePolicies, gateways, proxyConfigs, virtualServices, sidecars, settings },
      requestAuthentications: stages.requests.of([requestAuthentications, rootNamespace], bag, () => {
        return new SelectingPolicies(requestAuthentications, rootNamespace);
      }),
      authorizationPolicies: indexes.access,
      namespaces: new NamespacePolicies(input, rootNamespace, before?.sources.namespaces),
      missingDestinations: missingIn(stages, input, bag),
    },
    stages,
    before,
  );
}

/** Checks the VirtualServices; gives the destinations that may come later. */
function missingIn(stages: Stages, input: MergeInput, bag: DiagnosticBag): readonly MissingDestination[] {
  const { virtualServices, gateways, topology, settings, lastValid } = input;
  const missing = stages.missing.of([virtualServices, gateways, topology.services, settings], bag, (own) =>
    checkVirtualServices(virtualServices, input, own),
  );
  return reportMissing(missing, { lastValid, clusterDomain: settings.clusterDomain }, bag);
}

/** What is found again by other questions than the order of the inputs. */
interface Indexes {
  readonly peers: PeerIndex;
  readonly sidecars: SidecarIndex;
  readonly gateways: GatewayIndex;
  readonly virtualServices: VirtualServiceIndex;
  readonly proxyConfigs: ProxyConfigIndex;
  readonly rules: RuleIndex;
  readonly access: SelectingPolicies<AuthorizationPolicy>;
}

function indexed(stages: Stages, input: MergeInput, bag: DiagnosticBag): Indexes {
  const { settings, peerAuthentications, sidecars, gateways, virtualServices, proxyConfigs, destinationRules } = input;
  const { authorizationPolicies } = input;
  const root = settings.rootNamespace;
  return {
    peers: stages.peers.of([peerAuthentications, root], bag, () => new PeerIndex(peerAuthentications, root)),
    sidecars: stages.sidecars.of([sidecars, root], bag, () => new SidecarIndex(sidecars, root)),
    gateways: stages.gateways.of([gateways, settings], bag, () => new GatewayIndex(gateways, settings)),
    proxyConfigs: stages.proxyConfigs.of([proxyConfigs, root], bag, () => new ProxyConfigIndex(proxyConfigs, root)),
    virtualServices: stages.virtualServices.of(
      [virtualServices, settings],
      bag,
      (own) => new VirtualServiceIndex(virtualServices, settings, own),
    ),
    rules: stages.rules.of(
      [settings, ...byAge(destinationRules)],
      bag,
      () => new RuleIndex(byAge(destinationRules), settings),
    ),
    access: stages.access.of([authorizationPolicies, root], bag, () => {
      return new SelectingPolicies(authorizationPolicies, root);
    }),
  };
}

/** Tells what has no effect; each check runs again when something that it looks at is another. */
function check(stages: Stages, input: MergeInput, indexes: Indexes, bag: DiagnosticBag): void {
  const { settings, topology, toldNamespace, gateways, virtualServices, sidecars, authorizationPolicies } = input;
  const { services, workloads, namespaces } = topology;
  const { rootNamespace } = settings;
  const reach = { topology, rootNamespace, toldNamespace };
  const told = [namespaces, rootNamespace, toldNamespace];
  const checked = (name: string, inputs: readonly unknown[], tell: (bag: DiagnosticBag) => void): void =>
    stages.check(name, inputs, tell, bag);

  checked('peers', [indexes.peers, indexes.sidecars, workloads, rootNamespace], (own) =>
    checkPeers(indexes.peers, { topology, sidecars: indexes.sidecars, rootNamespace }, own),
  );
  const rules = byAge(input.destinationRules);
  checked('rules', [settings, services, workloads, ...rules], (own) => checkRules(rules, topology, settings, own));
  const { peerAuthentications: peers, requestAuthentications: requests, proxyConfigs } = input;
  checked('reach', [peers, requests, authorizationPolicies, proxyConfigs, workloads, ...told], (own) =>
    checkReach([...peers, ...requests, ...authorizationPolicies, ...proxyConfigs], reach, own),
  );
  checked('exports', [input.destinationRules, virtualServices, services, ...told], (own) =>
    checkExports([...input.destinationRules, ...virtualServices, ...entriesOf(topology)], reach, own),
  );
  checked('paths', [authorizationPolicies, settings], (own) => checkPaths(authorizationPolicies, settings, own));
  checked('sidecars', [indexes.sidecars, workloads, ...told], (own) => checkSidecars(indexes.sidecars, reach, own));
  checked('endpoint ports', [indexes.sidecars, indexes.access, workloads], (own) =>
    checkEndpointPorts(indexes.sidecars, indexes.access, workloads, own),
  );
  checked('listeners', [sidecars, settings], (own) => checkListeners(sidecars, settings, own));
  checked('gateways', [gateways, indexes.gateways, workloads], (own) =>
    checkGateways(gateways, indexes.gateways, topology, own),
  );
  const bound = [...requests, ...authorizationPolicies];
  checked('shared targets', [requests, authorizationPolicies, indexes.gateways, workloads], (own) =>
    checkSharedTargets(bound, indexes.gateways, topology, own),
  );
  const { clusterDomain } = settings;
  checked('egress', [sidecars, services, indexes.virtualServices, clusterDomain, ...told], (own) =>
    checkEgress(sidecars, { ...reach, routes: indexes.virtualServices, clusterDomain }, own),
  );
  checked('proxy configs', [indexes.proxyConfigs, workloads, rootNamespace], (own) =>
    checkProxyConfigs(indexes.proxyConfigs, topology, rootNamespace, own),
  );
}

/** The ServiceEntries, of which each host is a service. */
function entriesOf({ services }: Topology): readonly ServiceEntry[] {
  const entries = services.filter(({ kind }) => kind === 'ServiceEntry').map(({ object }) => object as ServiceEntry);
  return [...new Set(entries)];
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
