import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { DestinationRule } from './policy/destination-rule.ts';
import type { MeshObject } from './policy/object.ts';
import type { PeerAuthentication } from './policy/peer-authentication.ts';
import type { TopologyObject } from './policy/topology-kinds.ts';

/** The objects of one compilation, apart by what they are for. */
export interface Collection {
  readonly topology: readonly TopologyObject[];
  readonly peerAuthentications: readonly PeerAuthentication[];
  readonly destinationRules: readonly DestinationRule[];
}

const notYetCompiled: ReadonlySet<string> = new Set([
  'RequestAuthentication',
  'AuthorizationPolicy',
  'Gateway',
  'VirtualService',
]);

/**
 * Sorts objects into what topology and merging want. Two objects of one kind, namespace and name are an error, and so
 * is a kind whose meaning is not compiled yet: what an access rule says is never dropped.
 */
export function collect(objects: readonly MeshObject<string>[], bag: DiagnosticBag): Collection {
  const seen = new Map<string, MeshObject<string>>();
  const topology: TopologyObject[] = [];
  const peerAuthentications: PeerAuthentication[] = [];
  const destinationRules: DestinationRule[] = [];
  for (const object of objects) {
    const key = `${object.kind}/${object.namespace}/${object.name}`;
    const first = seen.get(key);
    if (first !== undefined) reportDuplicate(object, first, bag);
    else seen.set(key, object);
    if (object.kind === 'PeerAuthentication') peerAuthentications.push(object as PeerAuthentication);
    else if (object.kind === 'DestinationRule') destinationRules.push(object as DestinationRule);
    else if (notYetCompiled.has(object.kind)) {
      bag.report('unsupported-kind', object.document.spanOf(['kind']), { kind: object.kind, name: object.name });
    } else topology.push(object as TopologyObject);
  }
  return { topology, peerAuthentications, destinationRules };
}

function reportDuplicate(object: MeshObject<string>, first: MeshObject<string>, bag: DiagnosticBag): void {
  const name = object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
  bag.report(
    'duplicate-object',
    object.document.spanOf(['metadata', 'name']),
    { kind: object.kind, name },
    { related: [{ message: 'first defined here', span: first.document.spanOf(['metadata', 'name']) }] },
  );
}
