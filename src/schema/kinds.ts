import {
  authorizationPolicy,
  destinationRule,
  endpointSlice,
  endpoints,
  gateway,
  gatewayClass,
  grpcRoute,
  httpRoute,
  namespace,
  node,
  peerAuthentication,
  pod,
  proxyConfigObject,
  referenceGrant,
  requestAuthentication,
  secret,
  service,
  serviceAccount,
  serviceEntry,
  sidecar,
  standardGateway,
  tlsRoute,
  virtualService,
  workloadController,
  workloadEntry,
  workloadGroup,
} from '../generated/validators.js';
import { standardGatewayKind, standardGroup } from '../policy/gateway-api.ts';
import type { Rule } from './rule.ts';
import { authorizationPolicyRules } from './rules/authorization-policy.ts';
import { destinationRuleRules } from './rules/destination-rule.ts';
import { gatewayRules } from './rules/gateway.ts';
import { grpcRouteRules } from './rules/gateway-api/grpc-route.ts';
import { standardRouteRules } from './rules/gateway-api/http-route.ts';
import { standardGatewayRules } from './rules/gateway-api/listeners.ts';
import { tlsRouteRules } from './rules/gateway-api/tls-route.ts';
import { peerAuthenticationRules } from './rules/peer-authentication.ts';
import { proxyConfigRules } from './rules/proxy-config.ts';
import { requestAuthenticationRules } from './rules/request-authentication.ts';
import { serviceEntryRules } from './rules/service-entry.ts';
import { checkPorts } from './rules/service-ports.ts';
import { sidecarRules } from './rules/sidecar.ts';
import { virtualServiceRules } from './rules/virtual-service.ts';
import { workloadGroupRules } from './rules/workload-group.ts';
import type { SchemaValidator } from './validator.ts';

/** A kind that is read: where it comes from, its schema, and the rules beyond it. */
export interface KnownKind {
  readonly kind: string;
  /** What objects are told apart by, where several groups have a kind of this name; absent: `kind`. */
  readonly id?: string;
  /** Empty for the orchestrator's core group. */
  readonly group: string;
  readonly versions: readonly string[];
  readonly validator: SchemaValidator;
  /** Erased to a common type: the schema holds before a rule runs. */
  readonly rules: readonly Rule<never>[];
  /** Cluster-scoped kinds have none. */
  readonly isNamespaced: boolean;
  /** Top-level fields that the typed object takes over. */
  readonly parts: readonly string[];
}

const security = 'security.mesh.io';
const networking = 'networking.mesh.io';
const meshVersions = ['v1alpha3', 'v1beta1', 'v1'];

/** Every kind that is read. */
export const knownKinds: readonly KnownKind[] = [
  policy(security, 'PeerAuthentication', peerAuthentication, peerAuthenticationRules),
  policy(security, 'RequestAuthentication', requestAuthentication, requestAuthenticationRules),
  policy(security, 'AuthorizationPolicy', authorizationPolicy, authorizationPolicyRules),
  policy(networking, 'DestinationRule', destinationRule, destinationRuleRules),
  policy(networking, 'Gateway', gateway, gatewayRules),
  policy(networking, 'VirtualService', virtualService, virtualServiceRules),
  policy(networking, 'Sidecar', sidecar, sidecarRules),
  policy(networking, 'ProxyConfig', proxyConfigObject, proxyConfigRules),
  { ...policy(networking, 'WorkloadEntry', workloadEntry, []), parts: ['spec', 'status'] },
  policy(networking, 'WorkloadGroup', workloadGroup, workloadGroupRules),
  policy(networking, 'ServiceEntry', serviceEntry, serviceEntryRules),
  { ...core('Namespace', namespace, []), isNamespaced: false },
  { ...core('Node', node, []), isNamespaced: false },
  core('ServiceAccount', serviceAccount, []),
  { ...core('Service', service, ['spec']), rules: [checkPorts] },
  core('Pod', pod, ['spec', 'status']),
  core('Endpoints', endpoints, ['subsets']),
  core('Secret', secret, ['type', 'data', 'stringData']),
  { ...core('Deployment', workloadController, ['spec']), group: 'apps' },
  { ...core('StatefulSet', workloadController, ['spec']), group: 'apps' },
  { ...core('DaemonSet', workloadController, ['spec']), group: 'apps' },
  { ...core('Job', workloadController, ['spec']), group: 'batch' },
  {
    ...core('EndpointSlice', endpointSlice, ['addressType', 'endpoints', 'ports']),
    group: 'discovery.k8s.io',
    versions: ['v1', 'v1beta1'],
  },
  { ...standard('GatewayClass', ['v1beta1', 'v1'], gatewayClass, []), isNamespaced: false },
  { ...standard('Gateway', ['v1beta1', 'v1'], standardGateway, standardGatewayRules), id: standardGatewayKind },
  standard('HTTPRoute', ['v1beta1', 'v1'], httpRoute, standardRouteRules),
  standard('GRPCRoute', ['v1alpha2', 'v1'], grpcRoute, grpcRouteRules),
  standard('TLSRoute', ['v1alpha2', 'v1alpha3', 'v1'], tlsRoute, tlsRouteRules),
  standard('ReferenceGrant', ['v1alpha2', 'v1beta1', 'v1'], referenceGrant, []),
];

const byGroupAndKind: ReadonlyMap<string, KnownKind> = new Map(
  knownKinds.map((entry) => [`${entry.group}/${entry.kind}`, entry]),
);

const groupsByKind = new Map<string, readonly string[]>();
for (const { kind, group } of knownKinds) groupsByKind.set(kind, [...(groupsByKind.get(kind) ?? []), group]);

/** Our own groups: every kind in them is read, or refused by name. */
export const ownGroups: readonly string[] = [security, networking];

export function knownKind(group: string, kind: string): KnownKind | undefined {
  return byGroupAndKind.get(`${group}/${kind}`);
}

/** The versions by which a kind is known elsewhere too, newest first: one that is read and is nobody else's is left out. */
export function usualVersions({ group, versions }: KnownKind): readonly string[] {
  const usual = group === security ? versions.filter((version) => version !== 'v1alpha3') : versions;
  return usual === versions && group !== networking ? versions : usual.toReversed();
}

/** Names of the kinds of a group. */
export function kindsOf(group: string): string[] {
  return knownKinds.filter((entry) => entry.group === group).map((entry) => entry.kind);
}

/** Our group that has a kind of this name. */
export function ownGroupOf(kind: string): string | undefined {
  return ownGroups.find((group) => byGroupAndKind.has(`${group}/${kind}`));
}

/** The groups that have a kind of this name. */
export function groupsOf(kind: string): readonly string[] {
  return groupsByKind.get(kind) ?? [];
}

function policy(group: string, kind: string, validator: SchemaValidator, rules: readonly Rule<never>[]): KnownKind {
  return { kind, group, versions: meshVersions, validator, rules, isNamespaced: true, parts: ['spec'] };
}

function standard(
  kind: string,
  versions: readonly string[],
  validator: SchemaValidator,
  rules: readonly Rule<never>[],
): KnownKind {
  return { kind, group: standardGroup, versions, validator, rules, isNamespaced: true, parts: ['spec'] };
}

function core(kind: string, validator: SchemaValidator, parts: readonly string[]): KnownKind {
  return { kind, group: '', versions: ['v1'], validator, rules: [], isNamespaced: true, parts };
}
