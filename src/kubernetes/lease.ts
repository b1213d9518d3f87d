import type { KubernetesApi } from './api.ts';
import { ApiRefusal, KubernetesError } from './kubernetes-error.ts';
import { type ApiObject, pathOf } from './resource-type.ts';

/** The holder of a Lease. Its times are those of the writer's clock, only for people: they are never compared. */
export interface LeaseRecord {
  /** Empty: it was given back. */
  readonly holder: string;
  readonly durationMs: number;
  readonly acquiredAt: Date;
  readonly renewedAt: Date;
  /** How often it went from one holder to another. */
  readonly transitions: number;
}

/** A record with the revision that a write must name. */
export interface StoredLease extends LeaseRecord {
  readonly revision: string;
}

export interface LeaseAddress {
  readonly namespace: string;
  readonly name: string;
}

interface LeaseObject extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

const type = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** One Lease (`coordination.k8s.io/v1`). A write succeeds only if nobody has written since the revision that it names. */
export class Lease {
  readonly #api: KubernetesApi;
  readonly #address: LeaseAddress;

  constructor(api: KubernetesApi, address: LeaseAddress) {
    this.#api = api;
    this.#address = address;
  }

  /** Undefined: there is none. */
  async read(deadlineMs: number): Promise<StoredLease | undefined> {
    const path = pathOf(type, this.#address.namespace, this.#address.name);
    try {
      return storedOf(await this.#api.ask<LeaseObject>({ path, deadlineMs }), path);
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Without a revision it is made. Undefined: somebody else was faster. */
  async write(record: LeaseRecord, revision: string | undefined, deadlineMs: number): Promise<StoredLease | undefined> {
    const { name, namespace } = this.#address;
    const path = revision === undefined ? pathOf(type, namespace) : pathOf(type, namespace, name);
    const body = {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
      metadata: { name, namespace, ...(revision !== undefined && { resourceVersion: revision }) },
      spec: {
        holderIdentity: record.holder,
        leaseDurationSeconds: Math.max(1, Math.round(record.durationMs / 1_000)),
        acquireTime: microTime(record.acquiredAt),
        renewTime: microTime(record.renewedAt),
        leaseTransitions: record.transitions,
      },
    };
    const method = revision === undefined ? 'POST' : 'PUT';
    try {
      return storedOf(await this.#api.ask<LeaseObject>({ method, path, body, deadlineMs }), path);
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 409) return undefined;
      throw error;
    }
  }
}

function storedOf({ metadata, spec = {} }: LeaseObject, path: string): StoredLease {
  const { resourceVersion: revision = '' } = metadata ?? {};
  if (revision === '') throw new KubernetesError('api-answer-unusable', `${path}: the Lease has no revision`);
  const { holderIdentity = '', leaseDurationSeconds = 0, acquireTime = 0, renewTime = 0, leaseTransitions = 0 } = spec;
  return {
    ...{ revision, holder: holderIdentity, durationMs: leaseDurationSeconds * 1_000, transitions: leaseTransitions },
    ...{ acquiredAt: new Date(acquireTime), renewedAt: new Date(renewTime) },
  };
}

/** The API server takes times with six digits after the second, and no others. */
function microTime(at: Date): string {
  return (Number.isNaN(at.getTime()) ? new Date(0) : at).toISOString().replace(/Z$/, '000Z');
}
