import type { AuthorityOptions } from '../identity/authority.ts';
import type { DnsConfig } from './dns.ts';
import type { RestartPolicy } from './life/restart.ts';

/** Everything that the agent's parts need to know, settled before the first of them starts. */
export interface AgentConfig {
  /** Folder of what Envoy reads, relative to the working directory, which Envoy shares. */
  readonly configPath: string;
  /** Absolute path, or a name that was found. */
  readonly envoyBinary: string;
  readonly role: 'sidecar' | 'router';
  /** 0 serves no status port. */
  readonly statusPort: number;
  /** How long connections of a replaced listener live on. */
  readonly drainDurationMs: number;
  /** How long the agent waits between drain and termination. */
  readonly terminationDrainMs: number;
  readonly terminationDrain: 'plain' | 'graceful';
  /**
   * EXIT_ON_ZERO_ACTIVE_CONNECTIONS with MINIMUM_DRAIN_DURATION: the wait ends once no connection is open, after so many
   * milliseconds at the earliest, `terminationDrainMs` at the latest. Absent: it takes its full time.
   */
  readonly earliestDrainEndMs?: number;
  /** How long the platform waits between SIGTERM and SIGKILL; absent: not known. */
  readonly terminationGraceMs?: number;
  /** Absent: `never`. */
  readonly restartPolicy?: RestartPolicy;
  /** NOTIFY_SOCKET of systemd, which is told when the proxy is ready and when it stops; absent: nobody asks. */
  readonly notifySocket?: string;
  /** Undefined: Envoy counts processors itself. */
  readonly concurrency: number | undefined;
  /** Envoy's log is JSON, as the agent's own is. */
  readonly logsAsJson?: boolean;
  readonly proxyLogLevel: string;
  readonly proxyComponentLogLevel: string;
  /** Folder of `cert-chain.pem`, `key.pem`, `root-cert.pem`; undefined when there is no identity. */
  readonly identityFolder: string | undefined;
  /** Namespace of the workload: a certificate of another one is warned of; absent: nothing is known of it. */
  readonly namespace?: string;
  /** Signs the workload's certificate; the pair of `identityFolder` then only shows who asks. */
  readonly authority?: AuthorityOptions | undefined;
  /** OUTPUT_CERTS: where each new identity is written too. */
  readonly outputFolder?: string | undefined;
  /** DNS_AGENT: what is answered to the workload's DNS queries; absent: they are not served. */
  readonly dns?: DnsConfig | undefined;
  /** STALED_CONNECTION_RECYCLE_RUN_INTERVAL; absent: streams that do not answer are kept. */
  readonly staleCheckMs?: number | undefined;
  /** SECRET_WATCHER_RESYNC_PERIOD: inputs are read anew this often, changed or not; 0 or absent: never. */
  readonly resyncMs?: number | undefined;
  /** How long a change of the inputs waits for quiet, and at most; 100 and 10,000 ms when absent. */
  readonly debounceMs?: number;
  readonly debounceMaxMs?: number;
  /**
   * A bootstrap, template or override of the user's is in play: the first configuration is validated by Envoy too,
   * before it is started.
   */
  readonly mustValidateFirst: boolean;
}
