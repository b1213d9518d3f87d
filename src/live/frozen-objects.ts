import { isPolicyKind } from '../compiler/collect.ts';
import type { AuthorizationPolicy } from '../policy/authorization-policy.ts';
import { standardGatewayKind } from '../policy/gateway-api.ts';
import type { MeshObject } from '../policy/object.ts';
import { keyOf } from './object-name.ts';

type Objects = readonly MeshObject<string>[];

/** Kinds of the Gateway API that say what policies say. A grant that is withdrawn is withdrawn from everybody. */
const standardPolicies: ReadonlySet<string> = new Set([
  ...['GatewayClass', standardGatewayKind, 'HTTPRoute', 'GRPCRoute', 'TLSRoute'],
]);

function isKeptPolicy({ kind }: MeshObject<string>): boolean {
  return isPolicyKind(kind) || standardPolicies.has(kind);
}

/** The policies among objects. */
export function policiesOf(objects: Objects): Objects {
  return objects.filter(isKeptPolicy);
}

/** The objects of a mesh that are no policies. */
export function topologyOf(objects: Objects): Objects {
  return objects.filter((object) => !isKeptPolicy(object));
}

/** Kinds that take effect away as soon as they are deleted: no older one is put in their place. */
const neverOlder: ReadonlySet<string> = new Set(['Secret', 'ReferenceGrant']);

/** Kinds of which a policy may name an object by its host. */
const kindsWithHost: ReadonlySet<string> = new Set(['Service', 'ServiceEntry']);

/**
 * Topologies in which policies of an older version may fit, the most recent first: the topology as it is now; with the
 * services that were there `then` and are gone, since a route may lead to them; with everything that was otherwise then.
 */
export function* fittingTopologies(then: Objects, now: Objects): Generator<Objects> {
  const topology = topologyOf(now);
  yield topology;
  const older = olderObjects(then, now);
  const known = new Set(topology.map(({ document }) => keyOf(document.value)));
  const gone = older.filter(({ kind, document }) => kindsWithHost.has(kind) && !known.has(keyOf(document.value)));
  if (gone.length > 0) yield [...topology, ...gone];
  if (older.length > gone.length) yield topologyWith(older, now);
}

/** The topology `now`, with these objects in the place of their versions there. */
export function topologyWith(older: Objects, now: Objects): Objects {
  const replaced = new Set(older.map(({ document }) => keyOf(document.value)));
  return [...topologyOf(now).filter(({ document }) => !replaced.has(keyOf(document.value))), ...older];
}

/**
 * Those of `then` that are no policies and are gone, or have another version now. Keys and certificates are always as they
 * are now.
 */
export function olderObjects(then: Objects, now: Objects): Objects {
  const known = new Map(topologyOf(now).map((object) => [keyOf(object.document.value), object]));
  return topologyOf(then).filter((object) => {
    const current = known.get(keyOf(object.document.value));
    return !neverOlder.has(object.kind) && (current === undefined || !isSame(current, object));
  });
}

/**
 * The objects of a mesh of which a proxy keeps policies that it had: everything else is as it is `now`. What denies now
 * and did not then holds too, beside its older version where there is one: what takes access away waits for nobody. So
 * does what is `hidden`: what a proxy that is frozen already got since is not lost with the text of it.
 */
export function frozenObjects(policies: Objects, now: Objects, hidden: Objects): Objects {
  const then = new Map(policies.map((policy) => [keyOf(policy.document.value), policy]));
  const denying = [...hidden, ...now].filter(isDenying).flatMap((policy) => {
    const { target } = policy as AuthorizationPolicy;
    // Of a Gateway as it is now: the Gateways of `policies` are as they were.
    if (target !== undefined) return [beside(policy, `at ${target.gateway}`)];
    const before = then.get(keyOf(policy.document.value));
    if (before === undefined) return [policy];
    return isSame(before, policy) ? [] : [beside(policy)];
  });
  return [...policies, ...denying, ...topologyOf(now)];
}

function isDenying(object: MeshObject<string>): boolean {
  return object.kind === 'AuthorizationPolicy' && (object as AuthorizationPolicy).spec.action === 'DENY';
}

function isSame(a: MeshObject<string>, b: MeshObject<string>): boolean {
  return a === b || JSON.stringify(a.document.value) === JSON.stringify(b.document.value);
}

/** By identity, as every stage remembers. */
const besides = new WeakMap<MeshObject<string>, MeshObject<string>>();

/** The same policy under a name that no object has, for there is one of a name. */
function beside(policy: MeshObject<string>, what = 'new version'): MeshObject<string> {
  const known = besides.get(policy) ?? { ...policy, name: `${policy.name} (${what})` };
  besides.set(policy, known);
  return known;
}
