import { nearest } from '../lib/nearest.ts';
import { standardGroup } from '../policy/gateway-api.ts';
import { groupsOf, ownGroups } from './kinds.ts';

/** Kinds that no other product has: one of an unknown group is a mistake, not somebody else's object. */
const unmistakableKinds: ReadonlySet<string> = new Set([
  'DestinationRule',
  'PeerAuthentication',
  'RequestAuthentication',
]);

/** Groups of a cluster itself, as they are and were, and as people write them. */
const builtinGroups: ReadonlySet<string> = new Set(['', 'apps', 'batch', 'core', 'discovery.k8s.io', 'extensions']);

/**
 * The groups that a foreign one may have been meant to be, the likeliest first; none where it is another product's or the right
 * one. An object must not be skipped because of a mistake in its group: a policy that is not read lets everybody in.
 */
export function meantGroups(group: string, kind: string): readonly string[] {
  const homes = groupsOf(kind);
  if (homes.length === 0 || homes.includes(group)) return [];
  const policyHomes = homes.filter((home) => !builtinGroups.has(home));
  if (builtinGroups.has(group)) return homes;
  const own = policyHomes.filter((home) => ownGroups.includes(home));
  if (isOfMesh(group) && own.length > 0) return own.map((home) => (isOfIstio(group) ? istioSpelling(home) : home));
  if (isOfKubernetes(group)) {
    return policyHomes.toSorted((a, b) => Number(b === standardGroup) - Number(a === standardGroup));
  }
  const near = nearest(group, policyHomes.flatMap(spellings));
  if (near !== undefined) return [near];
  return isOfMesh(group) ? policyHomes : unmistakableKinds.has(kind) ? own : [];
}

function spellings(home: string): readonly string[] {
  return ownGroups.includes(home) ? [home, istioSpelling(home)] : [home];
}

function istioSpelling(own: string): string {
  return own.replace('.mesh.', '.istio.');
}

/** Nobody else has a name below these two, nor one of their words. */
function isOfMesh(group: string): boolean {
  return isOfIstio(group) || /(^|\.)mesh\.io$/i.test(group);
}

function isOfIstio(group: string): boolean {
  return /(^|\.)istio(\.|$)/i.test(group);
}

/** Names below these are given by Kubernetes, and a definition of one's own needs a name with a dot. */
function isOfKubernetes(group: string): boolean {
  return !group.includes('.') || /(^|\.)(x-)?k8s\.io$/i.test(group);
}
