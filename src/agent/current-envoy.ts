import type { DnsServer } from '../dns/serve.ts';
import type { AdminAddress, AdminClient } from '../envoy/admin.ts';
import type { Json, ResourceFile } from '../envoy/api/resource-file.ts';
import type { SecretSnapshot } from '../identity/snapshot.ts';
import type { DiscoveryClient } from './discovery/discovery-client.ts';

/** The running Envoy, as other parts of the agent see it. While none runs, fields are undefined unless they say otherwise. */
export interface CurrentEnvoy {
  /** Leads the group of its processes; there as long as Envoy runs. */
  pid?: number | undefined;
  admin?: AdminClient | undefined;
  /** Where its admin interface listens. */
  address?: AdminAddress | undefined;
  /** Why there is no good workload certificate now; undefined when there is one, or none is meant to be. */
  identityProblem?: () => string | undefined;
  /** The workload's certificate; undefined: there was none yet. */
  identity?: SecretSnapshot | undefined;
  /** Serves DNS to the workload; absent: nobody does. */
  dns?: Pick<DnsServer, 'renewPair'> | undefined;
  /** Serves what the control plane says; absent where resources are compiled here. */
  discovery?: DiscoveryClient | undefined;
  /** The bootstrap that this agent's Envoys are started with; there from the first compilation on. */
  bootstrap?: Json | undefined;
  /** The listeners in force. */
  listeners?: (() => ResourceFile) | undefined;
  /** Begins a drain that stops nothing (`POST /drain`). */
  drain?: (() => Promise<void>) | undefined;
  /** Has Envoy open its log files again. */
  reopenLogs?: (() => void) | undefined;
}
