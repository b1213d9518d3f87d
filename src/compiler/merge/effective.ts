import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { TrafficBlocks } from '../../policy/destination-rule.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { MtlsMode } from '../../policy/peer-authentication.ts';
import type { ProxyConfig } from '../../policy/proxy-config.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import type { OutboundTrafficPolicyMode } from '../../policy/sidecar.ts';
import type { Origins } from '../ir/origin.ts';
import type { Service, ServicePort } from '../topology/model.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';
import type { EgressListener } from './egress.ts';
import type { IngressPort } from './ingress.ts';
import type { MissingDestination } from './missing-destinations.ts';

/** UNSET is resolved by then. */
export type EffectiveMtlsMode = Exclude<MtlsMode, 'UNSET'>;

/** One decision with the fields that made it; both lists are empty for a built-in default. */
export interface Decided<T> {
  readonly value: T;
  readonly origins: Origins;
}

/** What one workload accepts: the server's view (mesh, namespace, workload and port level). */
export interface EffectiveInbound {
  readonly mode: Decided<EffectiveMtlsMode>;
  /** Container ports that a port-level entry decides, and that a service targets or a Sidecar names. */
  readonly ports: ReadonlyMap<number, Decided<EffectiveMtlsMode>>;
}

/** One level of a rule for one service port, after overlay (2.5): the blocks and where each came from. */
export interface EffectiveTraffic {
  readonly blocks: TrafficBlocks;
  readonly origins: Origins;
}

/** One subset of the rule in force, or the service as a whole (`name` empty, `labels` empty). */
export interface EffectiveSubset {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** By service port number: every port of the service has an entry. */
  readonly traffic: ReadonlyMap<number, EffectiveTraffic>;
  readonly origins: Origins;
}

/** What a client scope does towards one service. */
export interface EffectiveOutbound {
  readonly service: Service;
  /** The whole service first, then the subsets by name. */
  readonly subsets: readonly EffectiveSubset[];
  /** Mesh and namespace level of the service's namespace: the client's hint for automatic mutual TLS (1.3). */
  readonly serviceMode: Decided<EffectiveMtlsMode>;
}

/** The ProxyConfigs that apply to one proxy, by level; each level overrides the one before it. */
export interface EffectiveProxyConfigs {
  readonly mesh: ProxyConfig | undefined;
  readonly namespace: ProxyConfig | undefined;
  readonly workload: ProxyConfig | undefined;
}

/** Answers of merging, asked by lowering. Answers are cached by identity: the same question gives the same object. */
export interface Effective {
  /** Destinations that stopped nothing, as they may come later: the requests that are routed there get 503. */
  readonly missingDestinations: readonly MissingDestination[];
  inbound(workload: WorkloadKey): EffectiveInbound;
  /** Ports that the most specific Sidecar names, ascending; they take the place of ports of services. */
  ingress(workload: WorkloadKey): readonly IngressPort[];
  /** All that select the workload, oldest first: each of them holds. */
  requestAuthentications(workload: WorkloadKey): readonly RequestAuthentication[];
  /** All that select the workload, oldest first: each of them holds. */
  authorizationPolicies(workload: WorkloadKey): readonly AuthorizationPolicy[];
  /** What a gateway workload is to serve, oldest first. */
  gateways(workload: WorkloadKey): readonly Gateway[];
  /**
   * Stands for all policies that may decide about the inbound side or the start of a workload's proxy: those of its namespace
   * and the root namespace. While it is the same object, and the workload too, so are the answers above; but those of
   * gateways, which objects of all namespaces decide.
   */
  inboundPolicies(workload: WorkloadKey): object;
  /** The ProxyConfigs in force for the workload's proxy: at most one a level. */
  proxyConfigs(workload: WorkloadKey): EffectiveProxyConfigs;
  /**
   * What the scope sees (`exportTo`) and imports (`egress`), oldest first; delegates stand in those that delegate to them.
   */
  virtualServices(scope: Pick<ClientScope, 'namespace' | 'egress'>): readonly EffectiveVirtualService[];
  /**
   * The services that the scope sees (`exportTo`) and imports (`egress`), each with its rule; oldest first. To those that
   * it imports come the destinations of its VirtualServices, and external authorizers, which the proxy itself calls.
   */
  outbound(scope: ClientScope): readonly EffectiveOutbound[];
  /** The services that clients of the scope call by name: those of `outbound`, and those that its routes are for. */
  named(scope: ClientScope): readonly Service[];
  /** Connection pool for the server's own cluster (2.9): the rule that the server's namespace would see. */
  inboundTraffic(namespace: string, service: Service, port: ServicePort): EffectiveTraffic | undefined;
}

export interface WorkloadKey {
  readonly namespace: string;
  readonly name: string;
}

/** The closed list of what outbound configuration may depend on. Two workloads with equal scopes share it. */
export interface ClientScope {
  readonly namespace: string;
  readonly role: 'sidecar' | 'router';
  readonly families: readonly ('ipv4' | 'ipv6')[];
  readonly trustDomain: string;
  readonly interceptionMode: 'REDIRECT' | 'TPROXY';
  /** Only the labels that some rule's `workloadSelector` or `failoverPriority`, or some route's `sourceLabels`, asks for. */
  readonly labels: Readonly<Record<string, string>>;
  /** What a Sidecar imports; absent: all that the scope sees. */
  readonly egress?: readonly EgressListener[];
  /** What a Sidecar says of unknown destinations; absent: the mesh configuration decides. */
  readonly outboundTrafficPolicy?: OutboundTrafficPolicyMode;
  /** Where the client runs, as `region/zone/subzone`; only where some rule or the mesh asks for it. */
  readonly locality?: string;
  /** Canonical text of the above: equal scopes have equal keys. */
  readonly key: string;
}
