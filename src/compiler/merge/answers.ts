import type { Settings } from '../../config/settings.ts';
import { isSameList } from '../../diagnostics/kept.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import type { Service, ServicePort, Topology, Workload } from '../topology/model.ts';
import type * as effective from './effective.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';
import type { GatewayIndex } from './gateway-index.ts';
import { IdentityMap } from './identity-map.ts';
import { importedServices, namedServices } from './imported-services.ts';
import { composeInbound, composeMode, decidedPorts } from './inbound.ts';
import { type IngressPort, listenedPorts } from './ingress.ts';
import { type MergedRule, mergeRules } from './merged-rule.ts';
import type { MissingDestination } from './missing-destinations.ts';
import type { NamespacePolicies } from './namespace-policies.ts';
import { composeOutbound, visibleServices } from './outbound.ts';
import type { PeerIndex, PeerLevels } from './peer-index.ts';
import type { ProxyConfigIndex } from './proxy-config-index.ts';
import type { RuleClient, RuleIndex } from './rule-index.ts';
import { ScopeAnswers } from './scope-answers.ts';
import type { SelectingPolicies } from './selecting-policies.ts';
import type { SidecarIndex } from './sidecar-index.ts';
import type { Stages } from './stages.ts';
import type { VirtualServiceIndex } from './virtual-service-index.ts';

/** What answers are made from. */
export interface AnswerSources {
  readonly peers: PeerIndex;
  readonly rules: RuleIndex;
  readonly topology: Topology;
  /** Mesh and namespace level policies: the part of `peers` that outbound answers depend on. */
  readonly wholePolicies: readonly object[];
  readonly requestAuthentications: SelectingPolicies<RequestAuthentication>;
  readonly authorizationPolicies: SelectingPolicies<AuthorizationPolicy>;
  readonly gateways: GatewayIndex;
  readonly proxyConfigs: ProxyConfigIndex;
  readonly virtualServices: VirtualServiceIndex;
  readonly sidecars: SidecarIndex;
  readonly settings: Settings;
  readonly namespaces: NamespacePolicies;
  readonly missingDestinations: readonly MissingDestination[];
}

/** Made when asked, kept by identity: a compilation after a change finds again what the change did not touch. */
export class Answers implements effective.Effective {
  readonly sources: AnswerSources;
  /** How they were found, for the compilation after this one. */
  readonly stages: Stages;
  readonly #memory: Memory;
  readonly #workloads: WorkloadIndex;
  readonly #seen = new WeakMap<readonly EffectiveVirtualService[], readonly EffectiveVirtualService[]>();
  readonly #outbound: ScopeAnswers<effective.EffectiveOutbound>;
  /** The same of scopes that import what they see, which depends on routes too. */
  readonly #imported: ScopeAnswers<effective.EffectiveOutbound>;

  constructor(sources: AnswerSources, stages: Stages, previous: Answers | undefined) {
    const before = previous?.sources;
    const isSame =
      before?.rules === sources.rules &&
      before.topology.services === sources.topology.services &&
      isSameList(before.wholePolicies, sources.wholePolicies);
    this.sources = sources;
    this.stages = stages;
    this.#memory = previous === undefined ? new Memory() : previous.#memory;
    const outbound = previous === undefined ? undefined : previous.#outbound;
    this.#outbound = new ScopeAnswers(outbound, isSame);
    const hasSameRoutes = before !== undefined && isSameList(before.virtualServices.all, sources.virtualServices.all);
    const imported = previous === undefined ? undefined : previous.#imported;
    this.#imported = new ScopeAnswers(imported, isSame && hasSameRoutes);
    this.#workloads =
      previous !== undefined && before?.topology.workloads === sources.topology.workloads
        ? previous.#workloads
        : indexWorkloads(sources.topology);
  }

  get missingDestinations(): readonly MissingDestination[] {
    return this.sources.missingDestinations;
  }

  inbound(key: effective.WorkloadKey): effective.EffectiveInbound {
    const workload = this.#workloadOf(key);
    const levels = this.sources.peers.levelsOf(workload);
    const ports = listenedPorts(workload, this.ingress(key));
    const byPorts = this.#memory.inbound.get(identityOf(levels), () => new Map());
    const decided = decidedPorts(levels, ports);
    const answer = byPorts.get(decided) ?? composeInbound(levels, ports);
    byPorts.set(decided, answer);
    return answer;
  }

  ingress(key: effective.WorkloadKey): readonly IngressPort[] {
    return this.sources.sidecars.ingressOf(this.#workloadOf(key));
  }

  requestAuthentications(key: effective.WorkloadKey): readonly RequestAuthentication[] {
    const workload = this.#workloadOf(key);
    if (this.sources.requestAuthentications.isEmpty) return none;
    const policies = this.inboundPolicies(workload);
    const known = this.#memory.requests.get(workload);
    if (known?.policies === policies) return known.list;
    const list = this.#memory.listOf(this.sources.requestAuthentications.of(workload));
    this.#memory.requests.set(workload, { policies, list });
    return list;
  }

  authorizationPolicies(key: effective.WorkloadKey): readonly AuthorizationPolicy[] {
    return this.#memory.listOf(this.sources.authorizationPolicies.of(this.#workloadOf(key)));
  }

  gateways(key: effective.WorkloadKey): readonly Gateway[] {
    return this.#memory.listOf(this.sources.gateways.of(this.#workloadOf(key)));
  }

  inboundPolicies({ namespace }: effective.WorkloadKey): object {
    return this.sources.namespaces.of(namespace);
  }

  proxyConfigs(key: effective.WorkloadKey): effective.EffectiveProxyConfigs {
    const { mesh, namespace, workload } = this.sources.proxyConfigs.levelsOf(this.#workloadOf(key));
    const levels = [mesh[0], namespace[0], workload[0]];
    const [ofMesh, ofNamespace, ofWorkload] = levels;
    return this.#memory.proxyConfigs.get(
      levels.map((config, i) => config ?? (noConfig[i] as object)),
      () => ({ mesh: ofMesh, namespace: ofNamespace, workload: ofWorkload }),
    );
  }

  virtualServices(scope: Pick<effective.ClientScope, 'namespace' | 'egress'>): readonly EffectiveVirtualService[] {
    const seen = this.sources.virtualServices.seenBy(scope);
    const list = this.#seen.get(seen) ?? this.#memory.listOf(seen);
    this.#seen.set(seen, list);
    return list;
  }

  outbound(scope: effective.ClientScope): readonly effective.EffectiveOutbound[] {
    const answers = scope.egress === undefined ? this.#outbound : this.#imported;
    return answers.of(scope.key, () => this.#servicesOf(scope).map((service) => this.#outboundOf(scope, service)));
  }

  named(scope: effective.ClientScope): readonly Service[] {
    const [outbound, routes] = [this.outbound(scope), this.virtualServices(scope)];
    const { topology, settings } = this.sources;
    return this.#memory.named.get([outbound, routes, topology.services], () => {
      const services = outbound.map(({ service }) => service);
      return namedServices(topology, scope, services, routes, settings);
    });
  }

  #servicesOf(scope: effective.ClientScope): readonly Service[] {
    const { topology, settings } = this.sources;
    if (scope.egress === undefined) return visibleServices(topology.services, scope.namespace);
    return importedServices(topology, scope, scope.egress, this.virtualServices(scope), settings);
  }

  inboundTraffic(namespace: string, service: Service, port: ServicePort): effective.EffectiveTraffic | undefined {
    const [whole] = this.#outboundOf({ namespace, labels: {} }, service).subsets;
    const traffic = whole?.traffic.get(port.number);
    const pool = traffic?.blocks.connectionPool;
    if (traffic === undefined || pool === undefined) return undefined;
    return this.#memory.inboundTraffic.get([traffic], () => {
      const isPool = ({ field }: { field: readonly (string | number)[] }): boolean => field.includes('connectionPool');
      const { decidedBy, overrode } = traffic.origins;
      const origins = { decidedBy: decidedBy.filter(isPool), overrode: overrode.filter(isPool) };
      return { blocks: { connectionPool: pool }, origins };
    });
  }

  #workloadOf(key: effective.WorkloadKey): Workload {
    if (this.#workloads.own.has(key)) return key as Workload;
    const workload = this.#workloads.byName.get(`${key.namespace}/${key.name}`);
    if (workload === undefined) throw new Error(`no workload ${key.namespace}/${key.name} in the topology`);
    return workload;
  }

  #outboundOf(client: RuleClient, service: Service): effective.EffectiveOutbound {
    const mode = this.#modeOf(service.namespace);
    const rules = this.sources.rules.find(client, service);
    const merged = rules.length === 0 ? undefined : this.#memory.merged.get(rules, () => mergeRules(rules));
    const keys = merged === undefined ? [service, mode] : [service, mode, merged];
    return this.#memory.services.get(keys, () => composeOutbound(service, mode, merged));
  }

  #modeOf(namespace: string): effective.Decided<effective.EffectiveMtlsMode> {
    const levels = this.sources.peers.levelsOfNamespace(namespace);
    return this.#memory.modes.get(identityOf(levels), () => composeMode(levels));
  }
}

/** What outlives one compilation. */
class Memory {
  /** Of all workloads with the same policies the same, by the ports that these decide. */
  readonly inbound = new IdentityMap<Map<string, effective.EffectiveInbound>>();
  readonly modes = new IdentityMap<effective.Decided<effective.EffectiveMtlsMode>>();
  readonly merged = new IdentityMap<MergedRule>();
  readonly services = new IdentityMap<effective.EffectiveOutbound>();
  readonly proxyConfigs = new IdentityMap<effective.EffectiveProxyConfigs>();
  readonly named = new IdentityMap<readonly Service[]>();
  readonly inboundTraffic = new IdentityMap<effective.EffectiveTraffic>();
  /** Asked of every proxy each time, since its keys may be others; by `inboundPolicies`. */
  readonly requests = new WeakMap<
    Workload,
    { readonly policies: object; readonly list: readonly RequestAuthentication[] }
  >();
  readonly #lists = new IdentityMap<readonly MeshObject<string>[]>();

  /** The same list again for the same policies. */
  listOf<T extends MeshObject<string>>(policies: readonly T[]): readonly T[] {
    return policies.length === 0 ? none : (this.#lists.get(policies, () => policies) as readonly T[]);
  }
}

const none: readonly never[] = [];

/** Stand for a level without a ProxyConfig. */
const noConfig: readonly object[] = [{}, {}, {}];

const namespaceLevel = {};
const workloadLevel = {};

function identityOf(levels: PeerLevels): object[] {
  return [...levels.mesh, namespaceLevel, ...levels.namespace, workloadLevel, ...levels.workload];
}

interface WorkloadIndex {
  readonly byName: ReadonlyMap<string, Workload>;
  /** Those that are asked for by themselves, as nearly all are, need no name. */
  readonly own: ReadonlySet<object>;
}

function indexWorkloads({ workloads }: Topology): WorkloadIndex {
  const byName = new Map(workloads.map((workload) => [`${workload.namespace}/${workload.name}`, workload]));
  return { byName, own: new Set(byName.values()) };
}
