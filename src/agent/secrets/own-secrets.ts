import { X509Certificate } from 'node:crypto';
import { splitCertificates } from '../../certificates/roots.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import type { CertificateObserver } from './certificate-observer.ts';
import { rootSecretName, secretResources, workloadSecretName } from './secret-resources.ts';

/**
 * The workload's two secrets in the order in which they may be sent: a new root first, then the certificate, so that no
 * peer gets a certificate whose root it does not trust yet.
 */
export class OwnSecrets {
  readonly #publish: () => void;
  #newest: readonly DiscoveryResource[] = [];
  #resources: readonly DiscoveryResource[] = [];

  /** `publish` is called after each change of `resources`. */
  constructor(publish: () => void) {
    this.#publish = publish;
  }

  get resources(): readonly DiscoveryResource[] {
    return this.#resources;
  }

  take(snapshot: SecretSnapshot): void {
    this.#newest = secretResources(snapshot);
    const [identity, root] = [find(this.#resources, workloadSecretName), find(this.#newest, rootSecretName)];
    if (identity === undefined || root?.version === find(this.#resources, rootSecretName)?.version) {
      this.#show(this.#newest);
      return;
    }
    this.#show([identity, root as DiscoveryResource]);
    // Streams send what changed once a turn of the event loop: this runs after they sent the root.
    setImmediate(() => this.#show(this.#newest));
  }

  #show(resources: readonly DiscoveryResource[]): void {
    this.#resources = resources;
    this.#publish();
  }
}

function find(resources: readonly DiscoveryResource[], name: string): DiscoveryResource | undefined {
  return resources.find((resource) => resource.name === name);
}

/** Reports to the metrics when the certificate and the first of its roots expire. */
export function tellExpiry(snapshot: SecretSnapshot, observer: CertificateObserver | undefined): void {
  const roots = splitCertificates(snapshot.rootCertificates).map((pem) => Date.parse(new X509Certificate(pem).validTo));
  observer?.inForce?.(workloadSecretName, snapshot.notAfterMs);
  observer?.inForce?.(rootSecretName, Math.min(...roots));
}
