import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { Kept, keptList } from '../diagnostics/kept.ts';
import { append } from '../lib/append.ts';
import { type StandardObject, type StandardSet, standardGatewayKind } from '../policy/gateway-api.ts';
import type { MeshObject } from '../policy/object.ts';
import { keyOf } from '../policy/object-key.ts';
import type { Policy } from '../policy/policy.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { PolicyDocument } from '../source/document.ts';
import { KindLists } from './kind-lists.ts';
import { type TopologyLists, topologyKinds, topologyLists } from './topology/lists.ts';

/** The objects of one compilation, apart by what they are for; a list is the same as long as its objects are. */
export interface Collection {
  readonly topology: TopologyLists;
  readonly policies: PolicySet;
  /** Objects of the Gateway API, which say what policies are to be made of them. */
  readonly standard: StandardSet;
}

/** Sorts objects into what topology and merging want. Two objects of one kind, namespace and name are an error. */
export type Collect = (objects: readonly MeshObject<string>[], bag: DiagnosticBag) => Collection;

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

const standardLists: Readonly<Record<StandardObject['kind'], keyof StandardSet>> = {
  GatewayClass: 'gatewayClasses',
  [standardGatewayKind]: 'gateways',
  HTTPRoute: 'httpRoutes',
  GRPCRoute: 'grpcRoutes',
  TLSRoute: 'tlsRoutes',
  ReferenceGrant: 'referenceGrants',
};

/** Whether objects of a kind are policies, not what policies are for. */
export function isPolicyKind(kind: string): kind is Policy['kind'] {
  return Object.hasOwn(policyLists, kind);
}

/** Collects again and again: what it costs is what changed. */
export function createCollector(): Collect {
  const lists = new KindLists();
  const collected = new Kept<Collection>('collected');
  return (objects, bag) => {
    lists.replace(objects);
    if (lists.hasDuplicates) reportDuplicates(objects, bag);
    const written = Object.keys(policyLists).flatMap((kind) => lists.get(kind));
    if (written.some(({ document }) => !namesNamespace(document))) reportWithoutNamespace(objects, bag);
    const kinds = [...Object.keys(policyLists), ...topologyKinds, ...Object.keys(standardLists)];
    const inputs = kinds.map((kind) => lists.get(kind));
    return collected.of(inputs, bag, (_, before) => ({
      topology: topologyLists((kind) => lists.get(kind)),
      policies: policiesOf(objects, before?.policies),
      standard: standardOf((kind) => lists.get(kind)),
    }));
  };
}

/** In the order of the objects, which may be that of a file. */
function policiesOf(objects: readonly MeshObject<string>[], before: PolicySet | undefined): PolicySet {
  const byKind = new Map<string, MeshObject<string>[]>();
  for (const object of objects) if (isPolicyKind(object.kind)) append(byKind, object.kind, object);
  const lists = Object.entries(policyLists).map(([kind, name]) => {
    return [name, keptList<MeshObject<string>>(before?.[name], byKind.get(kind) ?? [])];
  });
  // Each list holds the kind that its name says.
  return Object.fromEntries(lists) as unknown as PolicySet;
}

function standardOf(listOf: (kind: string) => readonly MeshObject<string>[]): StandardSet {
  // Each list holds the kind that its name says.
  return Object.fromEntries(
    Object.entries(standardLists).map(([kind, name]) => [name, listOf(kind)]),
  ) as unknown as StandardSet;
}

function reportDuplicates(objects: readonly MeshObject<string>[], bag: DiagnosticBag): void {
  const seen = new Map<string, MeshObject<string>>();
  for (const object of objects) {
    const key = keyOf(object);
    const first = seen.get(key);
    if (first !== undefined) reportDuplicate(object, first, bag);
    else seen.set(key, object);
  }
}

/**
 * A policy whose author left the namespace to the command that applies it, beside objects that name another one than it
 * gets by that.
 */
function reportWithoutNamespace(objects: readonly MeshObject<string>[], bag: DiagnosticBag): void {
  const named = new Map<string, string>();
  const naming = new Set<string>();
  for (const { namespace, document } of objects) {
    if (namesNamespace(document)) naming.add(`${document.file} ${namespace}`);
    if (!['', 'default'].includes(namespace)) named.set(document.file, named.get(document.file) ?? namespace);
  }
  for (const { kind, name, namespace, document } of objects) {
    const neighbour = named.get(document.file);
    if (neighbour === undefined || namespace === '' || !(kind in policyLists) || namesNamespace(document)) continue;
    // Where another object of the file names that namespace too, the policy is meant for it.
    if (naming.has(`${document.file} ${namespace}`)) continue;
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
