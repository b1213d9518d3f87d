import type { ProxyFiles } from '../contracts/proxy-files.ts';
import { staticForm } from '../envoy/static-form.ts';
import type { AgentConfig } from './agent-config.ts';
import { AgentError } from './agent-error.ts';
import type { AgentParts } from './agent-parts.ts';
import { ActiveConfig } from './reload/active-config.ts';
import { partsOf, usesMeshSecrets } from './reload/proxy-files.ts';

export interface FirstConfig {
  readonly active: ActiveConfig;
  /** Paths that the compilation read, where it says. */
  readonly inputs: readonly string[] | undefined;
}

/**
 * The configuration that Envoy is started with; undefined, after the reason was logged, when the inputs are invalid.
 * Throws an AgentError when it needs an identity that nobody named. `quit` ends what Envoy is asked.
 */
export async function compileFirst(
  parts: Pick<AgentParts, 'compile' | 'validate' | 'config' | 'envoyCheck' | 'log'>,
  quit: AbortSignal,
): Promise<FirstConfig | undefined> {
  const { compile, validate, config, envoyCheck, log } = parts;
  const result = await compile();
  // Whatever else is wrong, a program that is no good Envoy is reported first, and asked for nothing.
  if (!('files' in result) || config.mustValidateFirst) await envoyCheck.wait(quit);
  if (quit.aborted) return undefined;
  if ('failure' in result) throw result.failure;
  if ('problems' in result) {
    log.scope('validation').error(`the configuration is invalid, Envoy is not started:\n${result.problems.join('\n')}`);
    return undefined;
  }
  for (const alarm of result.alarms ?? []) log.scope('validation').error(alarm);
  for (const warning of result.warnings) log.scope('validation').warn(warning);
  const lacking = lackingIdentity(config, result.files);
  if (lacking !== undefined) throw new AgentError('cert-unreadable', lacking);
  const first = { active: new ActiveConfig(result), inputs: result.inputs };
  if (!config.mustValidateFirst) return first;
  const validated = await validate(staticForm(partsOf(result.files)), quit);
  if (validated.ok) return first;
  log.error(
    `the configuration, with what you changed of its bootstrap, is refused by Envoy, which is not started: ${validated.message}`,
  );
  return undefined;
}

/** Why `files` cannot come into force without an identity; undefined when they can. */
export function lackingIdentity(
  { identityFolder, authority }: Pick<AgentConfig, 'identityFolder' | 'authority'>,
  files: ProxyFiles,
): string | undefined {
  if (identityFolder !== undefined || authority !== undefined || !usesMeshSecrets(files)) return undefined;
  return 'the configuration needs the workload certificate; name the authority that signs it with CA_ADDR, or the folder that holds it with PROV_CERT';
}
