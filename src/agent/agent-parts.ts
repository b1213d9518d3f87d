import type { CompileProxy, RenewKeys } from '../contracts/compile-result.ts';
import type { TokenServerOptions } from '../sts/serve-tokens.ts';
import type { AgentConfig } from './agent-config.ts';
import type { DiscoveryConfig } from './discovery/discovery-config.ts';
import type { EnvoyCheck } from './envoy-check.ts';
import type { InterceptionFacts } from './life/interception.ts';
import type { StopSignals } from './life/signals.ts';
import type { Log } from './log/log.ts';
import type { AgentObservers } from './metrics/observers.ts';
import type { ValidateConfig } from './reload/reload.ts';
import type { StatusSettings } from './status/status-settings.ts';

/** How the control plane is asked; who the proxy is, its bootstrap says. */
export type DiscoverySettings = Omit<DiscoveryConfig, 'nodeId'>;

/** What the agent is handed: it knows nothing of the compiler, the command line or the process it runs in. */
export interface AgentParts {
  readonly config: AgentConfig;
  readonly compile: CompileProxy;
  readonly renew: RenewKeys;
  readonly validate: ValidateConfig;
  /** Resources come from a control plane, and `compile` gives a bootstrap alone. Absent: it gives everything. */
  readonly discovery?: DiscoverySettings | undefined;
  /**
   * From now on V8 takes more time for less memory: a client of a control plane has little to do. Called when all code of such
   * a client is loaded, because V8 takes no cached code afterwards.
   */
  readonly saveMemory?: (() => void) | undefined;
  /** What this network namespace says of TPROXY; absent: nothing is compared with it. */
  readonly readInterception?: () => Promise<InterceptionFacts>;
  /** Whether `config.envoyBinary` may run. */
  readonly envoyCheck: EnvoyCheck;
  /** Files and folders whose change calls for compiling again. */
  readonly inputs: readonly string[];
  /** Tells of whatever else calls for compiling again: keys that were fetched. */
  readonly onNews?: (listener: () => void) => void;
  /** The agent's own part of what `/stats/prometheus` of the status port answers. */
  readonly metrics?: () => Promise<string>;
  /** What the status port asks the application for; absent: nothing. */
  readonly status?: StatusSettings;
  /** `--stsPort`; absent: no tokens are served. */
  readonly tokenService?: Pick<TokenServerOptions, 'host' | 'port' | 'manager' | 'clock'> | undefined;
  /** Hear of what the agent does; metrics are made of it. */
  readonly observers?: AgentObservers;
  readonly signals: StopSignals;
  /** Opens the log's files again, at SIGHUP: somebody has moved them away. */
  readonly reopenLogs?: () => void;
  readonly log: Log;
}
