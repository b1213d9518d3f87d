import type { Snapshot } from '../compiler/snapshot.ts';
import type { MeshObject } from '../policy/object.ts';

/** The policies that are for Gateways of the Gateway API, each as it selects the workloads of its Gateway now. */
export function boundPolicies({
  authorizationPolicies,
  requestAuthentications,
}: Pick<Snapshot['policies'], 'authorizationPolicies' | 'requestAuthentications'>): readonly MeshObject<string>[] {
  return [...authorizationPolicies, ...requestAuthentications].filter(({ target }) => target !== undefined);
}
