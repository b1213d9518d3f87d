import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { Policy } from '../policy/policy.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { TopologyObject } from '../policy/topology-kinds.ts';
import type { PolicyDocument } from '../source/document.ts';

/** The objects of one compilation, apart by what they are for. */
export interface Collection {
  readonly topology: readonly TopologyObject[];
  readonly policies: PolicySet;
}

const policyLists: Readonly<Record<Policy['kind'], keyof PolicySet>> = {
  PeerAuthentication: 'peerAuthentications',
  RequestAuthentication: 'requestAuthentications',
  AuthorizationPolicy: 'authorizationPolicies',
  DestinationRule: 'destinationRules',
  Gateway: 'gateways',
  ProxyConfig: 'proxyConfigs',
  VirtualService: 'virtualServices',
  Sidecar: 'sidecars',
};

/** Whether objects of a kind are policies, not what policies are for. */
export function isPolicyKind(kind: string): kind is Policy['kind'] {
  return Object.hasOwn(policyLists, kind);
}

/** Sorts objects into what topology and merging want. Two objects of one kind, namespace and name are an error. */
export function collect(objects: readonly MeshObject<string>[], bag: DiagnosticBag): Collection {
  const seen = new Map<string, MeshObject<string>>();
  const topology: TopologyObject[] = [];
  const policies: Record<keyof PolicySet, MeshObject<string>[]> = {
    peerAuthentications: [],
    requestAuthentications: [],
    authorizationPolicies: [],
    destinationRules: [],
    gateways: [],
    proxyConfigs: [],
    virtualServices: [],
    sidecars: [],
  };
  for (const object of objects) {
    const key = `${object.kind}/${object.namespace}/${object.name}`;
    const first = seen.get(key);
    if (first !== undefined) reportDuplicate(object, first, bag);
    else seen.set(key, object);
    const { kind } = object;
    if (isPolicyKind(kind)) policies[policyLists[kind]].push(object);
    else topology.push(object as TopologyObject);
  }
  reportWithoutNamespace(objects, bag);
  // Each list holds the kind that its name says.
  return { topology, policies: policies as unknown as PolicySet };
}

/**
 * A policy whose author left the namespace to the command that applies it, beside objects that name another one than it
 * gets by that.
 */
function reportWithoutNamespace(objects: readonly MeshObject<string>[], bag: DiagnosticBag): void {
  const named = new Map<string, string>();
  for (const { namespace, document } of objects) {
    if (!['', 'default'].includes(namespace)) named.set(document.file, named.get(document.file) ?? namespace);
  }
  for (const { kind, name, namespace, document } of objects) {
    const neighbour = named.get(document.file);
    if (neighbour === undefined || namespace === '' || !(kind in policyLists) || namesNamespace(document)) continue;
    bag.report('policy-without-namespace', document.spanOf(['metadata']), { kind, name, neighbour });
  }
}

function namesNamespace({ value }: PolicyDocument): boolean {
  const { metadata } = value;
  return typeof metadata === 'object' && metadata !== null && 'namespace' in metadata;
}

function reportDuplicate(object: MeshObject<string>, first: MeshObject<string>, bag: DiagnosticBag): void {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  const isSameFile = first.document.file === object.document.file;
  bag.report(
    'duplicate-object',
    object.document.spanOf(['metadata', 'name']),
    { kind: object.kind, name, first: isSameFile ? 'once more in the same file' : `in ${first.document.file}` },
    {
      hint: isSameFile ? 'give one of the two another name, or put what both say into one object' : undefined,
      related: [{ message: 'first defined here', span: first.document.spanOf(['metadata', 'name']) }],
    },
  );
}
