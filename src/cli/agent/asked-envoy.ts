import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AskedEnvoy, askEnvoy } from '../../envoy/ask-envoy.ts';
import { type EnvoySearch, findEnvoy } from '../../envoy/process.ts';

/** The Envoy that a flag, else a variable names, or the one of the set-up, or of PATH; throws EnvoyNotFoundError. */
export function locateEnvoy(proxyBinary: string | undefined, env: EnvoySearch['env'], flag?: string): string {
  return findEnvoy({ proxyBinary, flag, env, repositoryRoot: programRoot() });
}

/**
 * Asks the Envoy that will run unless the mesh configuration names another one: its answer takes as long as a small
 * program's start, which the agent uses to load its own code. Undefined when there is none; that is reported later.
 */
export function askEnvoyEarly(proxyBinary: string | undefined, env: EnvoySearch['env']): AskedEnvoy | undefined {
  try {
    return askEnvoy(locateEnvoy(proxyBinary, env));
  } catch {
    return undefined;
  }
}

/** The folder of the package, wherever in it this code was bundled to. */
function programRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
