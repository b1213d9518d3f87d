import type { ResourceType } from '../../../kubernetes/resource-type.ts';
import { standardGroup } from '../../../policy/gateway-api.ts';

/** A kind that is followed in a cluster. */
export interface FollowedKind {
  readonly type: ResourceType;
  /** `policy`: nothing is served before its objects are known, and an object may take access away. */
  readonly role: 'policy' | 'configuration' | 'services' | 'endpoints';
  /** Served by a CustomResourceDefinition, which may be absent, or deleted. */
  readonly isCustom: boolean;
  /** Its labels and annotations say all. */
  readonly isMetadataOnly?: true;
  /** Versions that mean the same, the preferred one first: a server may serve another one alone. Absent: there is one. */
  readonly versions?: readonly string[];
  /** Of the whole cluster: followed whole where single namespaces are. */
  readonly isOfCluster?: true;
  /** Of machines, and not of namespaces: followed whole where single namespaces are. A server that refuses it is not waited for. */
  readonly isOfMachines?: true;
}

/** Groups of policies: ours, and Istio's, whose kinds and fields mean the same. */
const groups = {
  security: ['security.mesh.io', 'security.istio.io'],
  networking: ['networking.mesh.io', 'networking.istio.io'],
} as const;

/** Version of each that every server since 1.20 of Istio has; ours serve it too. */
const customVersion = 'v1beta1';

export interface FollowedOptions {
  /** EndpointSlices instead of Endpoints (PILOT_USE_ENDPOINT_SLICE). */
  readonly slices: boolean;
  /** Those of the Gateway API too (PILOT_ENABLED_SERVICE_APIS). */
  readonly gatewayApi?: boolean | undefined;
}

/** The kinds that are followed. */
export function followedKinds({ slices, gatewayApi = false }: FollowedOptions): readonly FollowedKind[] {
  return [
    ...groups.security.flatMap((group) => [
      custom(group, 'PeerAuthentication', 'peerauthentications', 'policy'),
      custom(group, 'RequestAuthentication', 'requestauthentications', 'policy'),
      custom(group, 'AuthorizationPolicy', 'authorizationpolicies', 'policy'),
    ]),
    ...groups.networking.flatMap((group) => [
      custom(group, 'DestinationRule', 'destinationrules', 'configuration'),
      custom(group, 'Gateway', 'gateways', 'configuration'),
      custom(group, 'VirtualService', 'virtualservices', 'configuration'),
      custom(group, 'Sidecar', 'sidecars', 'configuration'),
      custom(group, 'ProxyConfig', 'proxyconfigs', 'configuration'),
      custom(group, 'ServiceEntry', 'serviceentries', 'configuration'),
      custom(group, 'WorkloadGroup', 'workloadgroups', 'configuration'),
      custom(group, 'WorkloadEntry', 'workloadentries', 'endpoints'),
    ]),
    ...(gatewayApi ? standardKinds : []),
    { ...core('Namespace', 'namespaces', 'configuration', false), isMetadataOnly: true },
    { ...core('Node', 'nodes', 'endpoints', false), isMetadataOnly: true, isOfMachines: true },
    core('Service', 'services', 'services'),
    core('Pod', 'pods', 'endpoints'),
    slices
      ? { ...core('EndpointSlice', 'endpointslices', 'endpoints'), type: sliceType }
      : core('Endpoints', 'endpoints', 'endpoints'),
  ];
}

/** For a Gateway there may be policies, and a grant that goes takes access away. */
const standardKinds: readonly FollowedKind[] = [
  { ...standard('GatewayClass', 'gatewayclasses', 'policy', ['v1', 'v1beta1'], false), isOfCluster: true },
  standard('Gateway', 'gateways', 'policy', ['v1', 'v1beta1']),
  standard('HTTPRoute', 'httproutes', 'configuration', ['v1', 'v1beta1']),
  standard('GRPCRoute', 'grpcroutes', 'configuration', ['v1', 'v1alpha2']),
  standard('TLSRoute', 'tlsroutes', 'configuration', ['v1', 'v1alpha3', 'v1alpha2']),
  standard('ReferenceGrant', 'referencegrants', 'policy', ['v1', 'v1beta1', 'v1alpha2']),
];

/** One of the kinds of the Gateway API. */
export function standardKind(kind: string): FollowedKind {
  const found = standardKinds.find(({ type }) => type.kind === kind);
  if (found === undefined) throw new Error(`${kind} is no kind of the Gateway API that is read`);
  return found;
}

/** Objects whose status is written: policies, objects of the Gateway API, or both. */
export interface WrittenStatus {
  readonly policies: boolean;
  readonly gatewayApi: boolean;
}

/** Whether `meshd` writes the status of the kind; that of a WorkloadEntry says whether it is healthy, and is read. */
export function hasOwnStatus({ isCustom, role, type }: FollowedKind, written: WrittenStatus): boolean {
  if (type.group === standardGroup) return written.gatewayApi && type.kind !== 'ReferenceGrant';
  return written.policies && isCustom && role !== 'endpoints';
}

const sliceType: ResourceType = {
  ...{
    group: 'discovery.k8s.io',
    version: 'v1',
    kind: 'EndpointSlice',
    resource: 'endpointslices',
    isNamespaced: true,
  },
};

function custom(group: string, kind: string, resource: string, role: FollowedKind['role']): FollowedKind {
  return { type: { group, version: customVersion, kind, resource, isNamespaced: true }, role, isCustom: true };
}

function standard(
  kind: string,
  resource: string,
  role: FollowedKind['role'],
  versions: readonly [string, ...string[]],
  isNamespaced = true,
): FollowedKind {
  const [version] = versions;
  return { type: { group: standardGroup, version, kind, resource, isNamespaced }, role, isCustom: true, versions };
}

function core(kind: string, resource: string, role: FollowedKind['role'], isNamespaced = true): FollowedKind {
  return { type: { group: '', version: 'v1', kind, resource, isNamespaced }, role, isCustom: false };
}
