import type { ResourceType } from '../../../kubernetes/resource-type.ts';

/** A kind that is followed in a cluster. */
export interface FollowedKind {
  readonly type: ResourceType;
  /** `policy`: nothing is served before its objects are known, and an object may take access away. */
  readonly role: 'policy' | 'configuration' | 'services' | 'endpoints';
  /** Served by a CustomResourceDefinition, which may be absent, or deleted. */
  readonly isCustom: boolean;
  /** Its labels and annotations say all. */
  readonly isMetadataOnly?: true;
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

/** The kinds that are followed; with `slices` EndpointSlices instead of Endpoints (PILOT_USE_ENDPOINT_SLICE). */
export function followedKinds({ slices }: { readonly slices: boolean }): readonly FollowedKind[] {
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
    { ...core('Namespace', 'namespaces', 'configuration', false), isMetadataOnly: true },
    { ...core('Node', 'nodes', 'endpoints', false), isMetadataOnly: true, isOfMachines: true },
    core('Service', 'services', 'services'),
    core('Pod', 'pods', 'endpoints'),
    slices
      ? { ...core('EndpointSlice', 'endpointslices', 'endpoints'), type: sliceType }
      : core('Endpoints', 'endpoints', 'endpoints'),
  ];
}

/** Whether `meshd` writes the status of the kind; that of a WorkloadEntry says whether it is healthy, and is read. */
export function hasOwnStatus({ isCustom, role }: FollowedKind): boolean {
  return isCustom && role !== 'endpoints';
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

function core(kind: string, resource: string, role: FollowedKind['role'], isNamespaced = true): FollowedKind {
  return { type: { group: '', version: 'v1', kind, resource, isNamespaced }, role, isCustom: false };
}
