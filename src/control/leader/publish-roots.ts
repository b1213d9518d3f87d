import type { PlainLog } from '../../lib/log.ts';
import type { CertificateAuthority } from '../ca/authority.ts';
import type { Replica } from './join-replicas.ts';
import { RootPublisher } from './root-publisher.ts';

export interface PublishedRoots {
  readonly authority: CertificateAuthority;
  /** Empty: all of the cluster. */
  readonly namespaces: readonly string[];
  readonly log: PlainLog;
}

/** Has the replica that leads keep the authority's roots in the cluster, from now on; gives who does it here. */
export function publishRoots(
  { api, leadership }: Pick<Replica, 'api' | 'leadership'>,
  { authority, ...options }: PublishedRoots,
): RootPublisher {
  const publisher = new RootPublisher({ api, roots: () => authority.signer.roots, ...options });
  authority.onChange(() => publisher.changed());
  leadership.whileLeading('roots of the mesh', (term) => publisher.run(term));
  return publisher;
}
