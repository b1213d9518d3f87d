import type { AgentParts } from '../../agent/agent-parts.ts';
import type { ContainerLimits } from '../../agent/bootstrap/container-limits.ts';
import type { Log } from '../../agent/log/log.ts';
import type { AgentMetrics } from '../../agent/metrics/metrics.ts';
import type { ValidateConfig } from '../../agent/reload/reload.ts';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { SettingsOptions } from '../../config/read.ts';
import type { Settings } from '../../config/settings.ts';
import type { AuthorityOptions } from '../../identity/authority.ts';
import type { ProxyIdentity } from '../../live/node-id.ts';
import type { BootstrapChoice } from './bootstrap-choice.ts';

/** Where the agent's configuration comes from, and what ends it. */
export type ConfigurationSource = Pick<AgentParts, 'compile' | 'renew' | 'inputs' | 'onNews' | 'discovery'> & {
  close(): Promise<void>;
};

/** What was settled before it is opened. */
export interface SourceParts {
  readonly agent: AgentSettings;
  readonly settings: Settings;
  readonly settingsOptions: SettingsOptions;
  readonly identity: ProxyIdentity;
  readonly role: 'sidecar' | 'router';
  readonly bootstrap: BootstrapChoice;
  readonly limits: ContainerLimits;
  readonly authority: AuthorityOptions | undefined;
  readonly ownAddresses: () => Promise<readonly string[]>;
  readonly validate: ValidateConfig;
  readonly metrics: AgentMetrics;
  readonly log: Log;
}
