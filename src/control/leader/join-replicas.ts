import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { KubernetesApi } from '../../kubernetes/api.ts';
import type { ElectionTimes } from '../../kubernetes/election.ts';
import { Lease } from '../../kubernetes/lease.ts';
import { type ClusterAddress, openAccess } from '../../kubernetes/open-access.ts';
import type { PlainLog } from '../../lib/log.ts';
import { Leadership } from './leadership.ts';

/** The cluster in which the replicas find each other. */
export interface ReplicaConfig {
  readonly address: ClusterAddress;
  /** NAMESPACE: of the Lease, and of whatever replicas tell each other. */
  readonly namespace: string;
  /** Absent: the usual ones. */
  readonly times?: ElectionTimes;
}

/** This process among the replicas of a control plane. */
export interface Replica {
  readonly api: KubernetesApi;
  readonly namespace: string;
  /** Of this process alone. */
  readonly identity: string;
  /** It stands for election once it is started. */
  readonly leadership: Leadership;
  close(): Promise<void>;
}

/** Name of the Lease. */
export const leaseName = 'meshd-leader';

/** Makes this process one of the replicas that share a cluster; `KubernetesError` for an unusable kubeconfig. */
export async function joinReplicas({ address, namespace, times }: ReplicaConfig, log: PlainLog): Promise<Replica> {
  const api = new KubernetesApi(await openAccess(address, process.env));
  // A pod's host name is its own; two processes of one host differ too.
  const identity = `${hostname()}_${randomUUID()}`;
  const lease = new Lease(api, { namespace, name: leaseName });
  const leadership = new Leadership({ lease, identity, log, ...(times && { times }) });
  return {
    ...{ api, namespace, identity, leadership },
    close: async () => {
      await leadership.close();
      api.close();
    },
  };
}
