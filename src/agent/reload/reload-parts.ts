import type { CompileProxy, RenewKeys } from '../../contracts/compile-result.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import type { AdminClient } from '../../envoy/admin.ts';
import type { Log } from '../log/log.ts';
import type { ConfigFiles } from './config-files.ts';
import type { ValidateConfig } from './judge.ts';
import type { ReloadObserver } from './observer.ts';

/** What reloading takes from the rest of the agent. */
export interface ReloadParts {
  readonly compile: CompileProxy;
  readonly renew: RenewKeys;
  /** Why a compiled configuration cannot be used here; undefined when it can. */
  readonly check: (files: ProxyFiles) => string | undefined;
  /** Which new listener of the second would share its port with another process; undefined for none. Absent: not looked for. */
  readonly findSharedPort?: (current: ProxyFiles, next: ProxyFiles) => Promise<string | undefined>;
  readonly validate: ValidateConfig;
  /** Hands out what the configuration's gateway servers ask for. Absent: nobody asks. */
  readonly serveSecrets?: (files: ProxyFiles) => void;
  readonly files: ConfigFiles;
  readonly admin: AdminClient;
  readonly log: Log;
  /** How long Envoy may take for one step before the change is given up. */
  readonly stepTimeoutMs?: number;
  readonly signal: AbortSignal;
  readonly observer?: ReloadObserver;
  /** Told after each compilation which paths it read, where that may have changed. */
  readonly followInputs?: (paths: readonly string[]) => void;
}
